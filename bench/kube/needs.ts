import { controlPlaneNeed } from '../../test/control-plane/needs.ts';

/** Why there can be no API server here, in words for whoever asked for the benchmark. */
export async function fixtureNeed(): Promise<string | undefined> {
  const need = controlPlaneNeed();
  return need.ok ? undefined : `${need.reason}. To get it: ${need.remedy}`;
}
