/** Which objects a list, a watch or a deletecollection means: labels and fields. */
import { parseFieldSelector, parseLabelSelector } from '@sandbank/kube';
import { badRequest } from '../http/api-error.ts';
import type { Resource } from '../registry/resource.ts';
import type { JsonObject } from '../schema/structural.ts';
import { metadataOf } from './stored-object.ts';

export type Matcher = (object: JsonObject) => boolean;

/** Undefined when everything matches, so that callers can skip the test. */
export function matcherOf(resource: Resource, labelSelector: string, fieldSelector: string): Matcher | undefined {
  const byLabels = labelSelector === '' ? undefined : labelMatcher(labelSelector);
  const byFields = fieldSelector === '' ? undefined : fieldMatcher(resource, fieldSelector);
  if (!byLabels) return byFields;
  return byFields ? (object) => byLabels(object) && byFields(object) : byLabels;
}

function labelMatcher(text: string): Matcher {
  try {
    const selector = parseLabelSelector(text);
    return (object) => selector.matches((metadataOf(object)['labels'] ?? {}) as Record<string, string>);
  } catch (error) {
    throw badRequest(`unable to parse requirement: ${(error as Error).message}`);
  }
}

/** A kind says which fields can be selected by; a field that it does not name is a mistake, not a field that matches nothing. */
function fieldMatcher(resource: Resource, text: string): Matcher {
  const known = [
    'metadata.name',
    ...(resource.namespaced ? ['metadata.namespace'] : []),
    ...(resource.strategy.selectableFields ?? []),
  ];
  try {
    const selector = parseFieldSelector(text);
    const unknown = selector.fields.find((field) => !known.includes(field));
    if (unknown !== undefined) throw new Error(`field label not supported: ${unknown}`);
    return (object) => selector.matches(object);
  } catch (error) {
    const type = `${resource.group ? `${resource.group}/` : ''}${resource.version}, Resource=${resource.plural}`;
    throw badRequest(
      `Unable to find "${type}" that match label selector "", field selector "${text}": ${(error as Error).message}`,
    );
  }
}
