/** Reading and filling decoded objects: the schema has been checked by then, so a wrong type reads as nothing. */
import type { Json, JsonObject } from '../schema/structural.ts';

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const NOTHING: JsonObject = Object.freeze({}) as JsonObject;

export function objectAt(parent: JsonObject | undefined, field: string): JsonObject {
  const value = parent?.[field];
  return isObject(value) ? value : NOTHING;
}

export function maybeObject(parent: JsonObject | undefined, field: string): JsonObject | undefined {
  const value = parent?.[field];
  return isObject(value) ? value : undefined;
}

export function objectsAt(parent: JsonObject | undefined, field: string): JsonObject[] {
  const value = parent?.[field];
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function stringsAt(parent: JsonObject | undefined, field: string): string[] {
  const value = parent?.[field];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

export function textAt(parent: JsonObject | undefined, field: string): string {
  const value = parent?.[field];
  return typeof value === 'string' ? value : '';
}

export function numberAt(parent: JsonObject | undefined, field: string): number | undefined {
  const value = parent?.[field];
  return typeof value === 'number' ? value : undefined;
}

/** Sets what is not there yet. */
export function fill(target: JsonObject, defaults: JsonObject): void {
  for (const [field, value] of Object.entries(defaults)) {
    if (target[field] === undefined) target[field] = structuredClone(value);
  }
}

/** The same, where an empty text counts as nothing. */
export function fillText(target: JsonObject, field: string, value: string): void {
  if (target[field] === undefined || target[field] === '') target[field] = value;
}

/** The object below `field`, made when there is none. */
export function ensureObject(parent: JsonObject, field: string): JsonObject {
  const value = parent[field];
  if (isObject(value)) return value;
  const made: JsonObject = {};
  parent[field] = made;
  return made;
}

export const metadataAt = (object: JsonObject): JsonObject => objectAt(object, 'metadata');
export const specAt = (object: JsonObject): JsonObject => objectAt(object, 'spec');
export const statusAt = (object: JsonObject): JsonObject => objectAt(object, 'status');
