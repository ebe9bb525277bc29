/** The language of validation rules: CEL, with the libraries that Kubernetes gives them. */
import { Environment } from '@marcbachmann/cel-js';
import { registerKubernetes } from './library/kubernetes.ts';
import { registerLists } from './library/lists.ts';
import { registerOptionalMacros } from './library/optionals.ts';
import { registerStrings } from './library/strings.ts';

let shared: Environment | undefined;

/** Made once, when the first rule is compiled; every schema gets a clone to add its types to. */
export function ruleEnvironment(): Environment {
  if (shared) return shared;
  // Mixed lists are allowed for the sake of `format`.
  shared = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false });
  registerStrings(shared);
  registerLists(shared);
  registerKubernetes(shared);
  registerOptionalMacros(shared);
  return shared;
}
