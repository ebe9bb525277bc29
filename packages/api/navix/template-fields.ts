import type { Probe } from '@sandbank/kube/kinds';
import { anything, defaulted, freeForm, int32, listMap, object, optional, text } from '../schema/fields.ts';
import { podTemplate } from '../schema/kubernetes.ts';

/** Fields that SandboxTemplate and SandboxPool share: what a sandbox is made of. */

// navix 1.3
const runtime = object({
  name: text({ description: 'Such as e2b, envd or swerex.' }),
  port: optional(int32()),
  protocol: defaulted(text(), 'TCP'),
  description: optional(text()),
  logDir: optional(text()),
  readinessProbe: optional(freeForm<Probe>({ description: 'A Probe of Kubernetes.' })),
  config: optional(anything({ description: 'Whatever the runtime understands.' })),
});

export const templateFields = {
  template: optional(podTemplate('The pods, with the image that they run while in use.')),
  idleImage: optional(text({ description: 'What the first container runs while nobody uses the pod.' })),
  runtimes: optional(listMap(runtime, 'name', { description: 'Daemons that the image brings along.' })),
};
