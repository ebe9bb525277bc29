/** What is known of a process besides its pipes, as a text that the helper keeps, and back after a crash of the runtime. */
import type { HelperClient, Survivor } from '../helper/client.ts';
import { adoptChild } from './helper-spawner.ts';
import { ManagedProcess, type ProcessConfig } from './process.ts';
import type { ProcessRegistry } from './registry.ts';
import type { ChildEvents } from './spawner.ts';

interface Label {
  readonly config: ProcessConfig;
  readonly tag?: string;
  readonly pty: boolean;
  readonly stdin: boolean;
}

export function labelOf(process: ManagedProcess, stdin: boolean): string {
  const { config, tag, pty } = process;
  const label: Label = { config, ...(tag === undefined ? {} : { tag }), pty, stdin };
  return JSON.stringify(label);
}

export function eventsOf(process: ManagedProcess): ChildEvents {
  return {
    output: (kind, bytes) => process.output(kind, bytes),
    exit: (exit) => process.exit(exit),
    outputEnd: () => process.outputEnd(),
  };
}

/** Takes over the processes that a former runtime left with the launcher. */
export function adoptSurvivors(helper: HelperClient, registry: ProcessRegistry, survivors: readonly Survivor[]): void {
  for (const survivor of survivors) {
    const label = JSON.parse(survivor.label) as Label;
    const stdin = label.stdin && survivor.pipes.in >= 0;
    const process = new ManagedProcess(label.config, label.tag, label.pty, stdin);
    const child = adoptChild(helper, survivor, eventsOf(process));
    process.attach(child);
    registry.add(process);
    child.resume();
  }
}
