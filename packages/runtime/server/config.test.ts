import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Config, ConfigError, parseConfig } from './config.ts';
import { helpText } from './help.ts';

function config(args: readonly string[], env: Record<string, string> = {}): Config {
  const parsed = parseConfig(args, env);
  if (!('config' in parsed)) throw new Error('not a config');
  return parsed.config;
}

describe('parseConfig', () => {
  it('listens nowhere by itself', () => {
    expect(() => parseConfig([], {})).toThrow(ConfigError);
  });

  it('takes POD_IP as address and as the place for forwarded ports', () => {
    const { listen, forwardTo } = config([], { POD_IP: '10.0.0.7' });
    expect(listen).toEqual([{ host: '10.0.0.7', port: 49983 }]);
    expect(forwardTo).toBe('10.0.0.7');
    expect(config(['--forward-ports', 'off'], { POD_IP: '10.0.0.7' }).forwardTo).toBeUndefined();
  });

  it('prefers a flag to the environment', () => {
    const env = { SANDBANK_RUNTIME_PORT: '1', SANDBANK_RUNTIME_ADDRESS: '127.0.0.1' };
    expect(config([], env).listen).toEqual([{ host: '127.0.0.1', port: 1 }]);
    expect(config(['--port', '2'], env).listen).toEqual([{ host: '127.0.0.1', port: 2 }]);
  });

  it.each([
    [['--address', 'x', '--port', '70000']],
    [['--address', 'x', '--nope']],
    [['--address', 'x', '--env', 'novalue']],
    [['--address', 'x', '--log-level', 'loud']],
    [['--address', 'x', '--control-address', '10.0.0.1', '--control-port', '5']],
    [['--address', 'x', '--control-token-file', '/none']],
  ])('refuses %j', (args) => {
    expect(() => parseConfig(args, {})).toThrow(ConfigError);
  });

  it('lets the control listener off loopback only with a token', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'config-')), 'token');
    writeFileSync(file, 'secret\n');
    const args = [
      '--address',
      'x',
      '--control-address',
      '10.0.0.1',
      '--control-port',
      '5',
      '--control-token-file',
      file,
    ];
    expect(config(args)).toMatchObject({ control: { host: '10.0.0.1', port: 5 }, controlToken: 'secret' });
  });
});

it('explains every flag in --help', () => {
  const flags = [
    'address',
    'port',
    'socket',
    'control-address',
    'control-port',
    'control-socket',
    'control-token-file',
    'insecure-no-token',
    'default-user',
    'default-workdir',
    'env',
    'helper',
    'forward-ports',
    'no-new-privileges',
    'reset-root',
    'reset-allow-root',
    'log-level',
    'version',
    'help',
  ];
  for (const flag of flags) expect(helpText).toContain(`--${flag}`);
});
