/**
 * Admission webhooks: code of ours that the API server asks before it stores an object.
 *
 *     const server = new WebhookServer({
 *       webhooks: [
 *         mutating(Pod, ({ object }) => ({ object: withDefaults(object) })),
 *         validating(Pod, ({ object }) => { if (!object?.spec) throw new Denial('a pod needs a spec'); }),
 *       ],
 *       certificates: new SecretCertificates({ client, secret, names: ['webhook.system.svc'], publishTo: { mutating: ['pods'] } }),
 *     });
 *     await server.start();
 *
 * - `admission.ts` is what a handler sees and may answer; `review.ts` is the wire form of that.
 * - `server.ts` serves it over TLS.
 * - `certificates/` is where its certificate comes from: made and rotated by the webhook itself and shared by a Secret
 *   (`secret-certificates.ts`, whose rules are in `rotation.ts`), or mounted (`file-certificates.ts`).
 */
export * from './admission.ts';
export type { CaBundleTargets } from './certificates/ca-bundle.ts';
export * from './certificates/file-certificates.ts';
export * from './certificates/secret-certificates.ts';
export type * from './certificates/source.ts';
export * from './server.ts';
