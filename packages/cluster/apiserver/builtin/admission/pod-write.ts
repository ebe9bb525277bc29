import type { AdmissionRequest } from '../../admission/admission.ts';

/** A write of a pod itself, not of one of its subresources. */
export function isPodWrite(request: AdmissionRequest, operations: readonly AdmissionRequest['operation'][]): boolean {
  const { resource, subresource, operation } = request;
  return (
    resource.group === '' && resource.plural === 'pods' && subresource === undefined && operations.includes(operation)
  );
}
