const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** How long ago, in as many digits as matter: `45s`, `3m20s`, `5h`, `2d3h`, `40d`, `2y10d`. */
export function humanAge(milliseconds: number): string {
  const whole = (unit: number) => Math.trunc(milliseconds / unit);
  const seconds = whole(SECOND);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const and = (unit: number, name: string, part: number, partName: string) => {
    const rest = Math.trunc((milliseconds % unit) / part);
    return rest === 0 ? `${whole(unit)}${name}` : `${whole(unit)}${name}${rest}${partName}`;
  };
  if (whole(MINUTE) < 10) return and(MINUTE, 'm', SECOND, 's');
  if (whole(MINUTE) < 180) return `${whole(MINUTE)}m`;
  if (whole(HOUR) < 8) return and(HOUR, 'h', MINUTE, 'm');
  if (whole(HOUR) < 48) return `${whole(HOUR)}h`;
  if (whole(HOUR) < 192) return and(DAY, 'd', HOUR, 'h');
  if (whole(DAY) < 730) return `${whole(DAY)}d`;
  return whole(DAY) < 8 * 365 ? and(YEAR, 'y', DAY, 'd') : `${whole(YEAR)}y`;
}
