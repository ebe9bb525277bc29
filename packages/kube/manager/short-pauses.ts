import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the pauses of garbage collection short, at the price of more of them, for the whole process:
 *
 *     import '@sandbank/kube/short-pauses'; // before every other import
 *
 * V8 lets its young generation grow while much of it survives, and a cache that fills is all survivors: it grows to
 * 64 MiB and pauses for 25 to 60 ms at a time, for hundreds where cores are busy. Without growth it stays at 1 MiB and
 * pauses for 1 to 3 ms, and takes no longer in all. What has grown already stays, and loading a program makes it grow:
 * so it works on import, and must be the first.
 */
setFlagsFromString('--semi-space-growth-factor=1');
