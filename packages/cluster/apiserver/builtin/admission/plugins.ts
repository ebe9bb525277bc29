import type { AdmissionPlugin } from '../../admission/admission.ts';
import type { Lookup } from '../lookup.ts';
import { defaultTolerations } from './default-tolerations.ts';
import { newNodesAreTainted } from './node-taint.ts';
import { priority } from './priority.ts';
import { runtimeClass } from './runtime-class.ts';
import { serviceAccount } from './service-account.ts';

export interface BuiltinAdmissionOptions {
  readonly lookup: Lookup;
  readonly random: () => number;
  /**
   * Whether new nodes start tainted as not ready. Only where something takes the taint off again (a node life-cycle
   * controller, or nodes that do it themselves).
   */
  readonly taintNewNodes?: boolean;
  /** Whether pods must have a service account. Off only in tests that compare with a server that has it off. */
  readonly serviceAccounts?: boolean;
}

/** What the real server's built-in plugins do to the built-in kinds, in their order. Namespace rules and webhooks are elsewhere. */
export function builtinAdmission(options: BuiltinAdmissionOptions): AdmissionPlugin[] {
  const { lookup, random, taintNewNodes = true, serviceAccounts = true } = options;
  return [
    ...(serviceAccounts ? [serviceAccount(lookup, random)] : []),
    ...(taintNewNodes ? [newNodesAreTainted] : []),
    priority(lookup),
    defaultTolerations,
    runtimeClass(lookup),
  ];
}
