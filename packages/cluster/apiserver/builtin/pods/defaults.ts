/** What a pod's author left out: of the pod itself, and of the pod templates that workloads carry. */
import type { JsonObject } from '../../schema/structural.ts';
import { ensureObject, fill, fillText, isObject, maybeObject, objectAt, objectsAt, textAt } from '../fields.ts';
import { defaultVolume } from './volume-defaults.ts';

export function defaultPod(pod: JsonObject): void {
  const spec = ensureObject(pod, 'spec');
  defaultPodSpec(spec);
  fill(spec, { enableServiceLinks: true });
  defaultRequests(spec);
  if (spec['hostNetwork'] === true) defaultHostPorts(spec);
}

/** The same in a template. Requests and service links are the business of the pods that are made of it. */
export function defaultPodTemplate(template: JsonObject): void {
  const spec = ensureObject(template, 'spec');
  defaultPodSpec(spec);
  if (spec['hostNetwork'] === true) defaultHostPorts(spec);
}

export function defaultPodSpec(spec: JsonObject): void {
  fillText(spec, 'dnsPolicy', 'ClusterFirst');
  fillText(spec, 'restartPolicy', 'Always');
  fillText(spec, 'schedulerName', 'default-scheduler');
  fill(spec, { securityContext: {}, terminationGracePeriodSeconds: 30 });
  defaultServiceAccount(spec);
  for (const volume of objectsAt(spec, 'volumes')) defaultVolume(volume);
  for (const kind of ['initContainers', 'containers', 'ephemeralContainers']) {
    for (const container of objectsAt(spec, kind)) defaultContainer(container);
  }
}

/** Two fields with one meaning: whichever is set rules both. */
function defaultServiceAccount(spec: JsonObject): void {
  const name = textAt(spec, 'serviceAccountName') || textAt(spec, 'serviceAccount');
  if (name === '') return;
  spec['serviceAccountName'] = name;
  spec['serviceAccount'] = name;
}

function defaultContainer(container: JsonObject): void {
  fillText(container, 'imagePullPolicy', pullPolicyOf(textAt(container, 'image')));
  fillText(container, 'terminationMessagePath', '/dev/termination-log');
  fillText(container, 'terminationMessagePolicy', 'File');
  for (const port of objectsAt(container, 'ports')) fillText(port, 'protocol', 'TCP');
  for (const variable of objectsAt(container, 'env')) {
    const from = objectAt(variable, 'valueFrom');
    const field = maybeObject(from, 'fieldRef');
    if (field) fillText(field, 'apiVersion', 'v1');
    const resource = maybeObject(from, 'resourceFieldRef');
    if (resource) fill(resource, { divisor: '0' });
    const file = maybeObject(from, 'fileKeyRef');
    if (file) fill(file, { optional: false });
  }
  for (const kind of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const probe = maybeObject(container, kind);
    if (probe) defaultProbe(probe);
  }
  for (const hook of Object.values(objectAt(container, 'lifecycle'))) if (isObject(hook)) defaultHttpGet(hook);
}

/** Always for `latest` and for no tag at all: both move. A digest does not. */
export function pullPolicyOf(image: string): 'Always' | 'IfNotPresent' {
  if (image.includes('@')) return 'IfNotPresent';
  const last = image.slice(image.lastIndexOf('/') + 1);
  const tag = last.includes(':') ? last.slice(last.indexOf(':') + 1) : 'latest';
  return tag === 'latest' ? 'Always' : 'IfNotPresent';
}

function defaultProbe(probe: JsonObject): void {
  for (const [field, value] of Object.entries({
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
  })) {
    if (probe[field] === undefined || probe[field] === 0) probe[field] = value;
  }
  defaultHttpGet(probe);
  const grpc = maybeObject(probe, 'grpc');
  if (grpc) fill(grpc, { service: '' });
}

function defaultHttpGet(handler: JsonObject): void {
  const get = maybeObject(handler, 'httpGet');
  if (!get) return;
  fillText(get, 'path', '/');
  fillText(get, 'scheme', 'HTTP');
}

/** A limit without a request asks for all of it. */
function defaultRequests(spec: JsonObject): void {
  const resources = ['initContainers', 'containers']
    .flatMap((kind) => objectsAt(spec, kind))
    .map((container) => ensureObject(container, 'resources'));
  for (const one of resources) copyLimits(one);
  const ofPod = maybeObject(spec, 'resources');
  if (ofPod) copyLimits(ofPod);
}

function copyLimits(resources: JsonObject): void {
  const limits = objectAt(resources, 'limits');
  if (Object.keys(limits).length === 0) return;
  fill(ensureObject(resources, 'requests'), limits);
}

/** On the host's network a container port is the host's port. */
function defaultHostPorts(spec: JsonObject): void {
  for (const port of ['initContainers', 'containers']
    .flatMap((kind) => objectsAt(spec, kind))
    .flatMap((container) => objectsAt(container, 'ports'))) {
    const number = port['containerPort'];
    if (typeof number === 'number' && number !== 0) fill(port, { hostPort: number });
  }
}
