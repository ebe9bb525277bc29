import type { RequestContext, Resource } from '../registry/resource.ts';
import type { JsonObject } from '../schema/structural.ts';

export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly resource: Resource;
  readonly subresource?: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string;
  /** What would be stored; undefined for a delete. */
  readonly object: JsonObject | undefined;
  readonly oldObject: JsonObject | undefined;
  readonly options: JsonObject;
  readonly context: RequestContext;
}

/** One gate that a write passes. Refuses by throwing an ApiError. */
export interface AdmissionPlugin {
  readonly name: string;
  /** Gives back the object to go on with; must not change the one it was given. */
  mutate?(request: AdmissionRequest): Promise<JsonObject | undefined> | JsonObject | undefined;
  validate?(request: AdmissionRequest): Promise<void> | void;
}

export interface Admission {
  mutate(request: AdmissionRequest): Promise<JsonObject | undefined>;
  validate(request: AdmissionRequest): Promise<void>;
}

/** Plugins in order: all mutate, then all validate what came out. */
export function admissionChain(plugins: readonly AdmissionPlugin[]): Admission {
  return {
    async mutate(request) {
      let { object } = request;
      for (const plugin of plugins) {
        if (plugin.mutate) object = (await plugin.mutate({ ...request, object })) ?? object;
      }
      return object;
    },
    async validate(request) {
      for (const plugin of plugins) await plugin.validate?.(request);
    },
  };
}
