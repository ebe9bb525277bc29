/** `sandbank up`. Until the embedded cluster has nodes it starts nothing, and says honestly what there is. */
export function up(out: (text: string) => void): number {
  out(`Sandbank, ground floor. Node ${process.versions.node}.

The embedded cluster is not complete yet (its API server is, as a library; its nodes are not), so nothing was started.
What works today:

  npm test                                   every suite that this machine can run
  npx sandbank doctor                        check the cluster of your kubeconfig
  npx sandbank crds apply                    install the CRDs of all three API groups there
  npx sandbank-runtime --help                the daemon inside a sandbox, for the E2B SDKs
  npm run control-plane                      build a real Kubernetes control plane for the tests (needs Go)
  npm run bench                              list the benchmarks

README.md has a five-minute tour; docs/architecture.md says what comes next.
`);
  return 0;
}
