import type { AdmissionPlugin } from '../../admission/admission.ts';
import type { JsonObject } from '../../schema/structural.ts';
import { objectsAt, specAt, textAt } from '../fields.ts';
import { isPodWrite } from './pod-write.ts';

const SECONDS = 300;
const KEYS = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

/** A pod stays for five minutes on a node that does not answer, unless it says otherwise. */
export const defaultTolerations: AdmissionPlugin = {
  name: 'DefaultTolerationSeconds',
  mutate(request) {
    const { object } = request;
    if (!isPodWrite(request, ['CREATE', 'UPDATE']) || !object) return undefined;
    const spec = specAt(object);
    const tolerations = objectsAt(spec, 'tolerations');
    const tolerates = (key: string) =>
      tolerations.some(
        (one) =>
          (textAt(one, 'key') === key || textAt(one, 'key') === '') &&
          (textAt(one, 'effect') === 'NoExecute' || textAt(one, 'effect') === ''),
      );
    const missing = KEYS.filter((key) => !tolerates(key));
    if (missing.length === 0) return undefined;
    const added = missing.map(
      (key): JsonObject => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: SECONDS }),
    );
    return { ...object, spec: { ...spec, tolerations: [...tolerations, ...added] } };
  },
};
