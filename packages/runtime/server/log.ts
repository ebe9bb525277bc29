/**
 * Log lines as JSON on stderr. Small on purpose: the runtime lives in every sandbox, and a logging library costs more memory
 * than all of its own state. Callers never pass tokens, bodies or environment values.
 */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void;
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
}

const order: Readonly<Record<LogLevel, number>> = { debug: 10, info: 20, warn: 30, error: 40 };

export function createLog(
  level: LogLevel | 'silent',
  write: (line: string) => void = (line) => process.stderr.write(line),
  now: () => number = Date.now,
): Log {
  const least = level === 'silent' ? Number.POSITIVE_INFINITY : order[level];
  const at =
    (name: LogLevel) =>
    (message: string, fields: Record<string, unknown> = {}): void => {
      if (order[name] < least) return;
      const plain = Object.entries(fields).map(([key, value]) => [key, value instanceof Error ? value.message : value]);
      write(
        `${JSON.stringify({ time: new Date(now()).toISOString(), level: name, message, ...Object.fromEntries(plain) })}\n`,
      );
    };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

export const silentLog: Log = createLog('silent');
