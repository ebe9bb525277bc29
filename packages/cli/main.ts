#!/usr/bin/env node
// First: it tunes the garbage collector, which is possible only before there is garbage.
import '@sandbank/kube/short-pauses';
import { runCli } from './program.ts';

process.exitCode = await runCli(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
});
