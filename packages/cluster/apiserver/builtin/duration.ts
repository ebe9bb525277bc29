/** Ages as tables show them: two units at most, one where the second adds nothing. */
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

const two = (large: string, small: number, unit: string) => (small === 0 ? large : `${large}${small}${unit}`);

export function humanDuration(seconds: number): string {
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  const whole = Math.floor(seconds);
  if (whole < 2 * MINUTE) return `${whole}s`;
  const minutes = Math.floor(whole / MINUTE);
  if (minutes < 10) return two(`${minutes}m`, whole % MINUTE, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(whole / HOUR);
  if (hours < 8) return two(`${hours}h`, minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(whole / DAY);
  if (days < 8) return two(`${days}d`, hours % 24, 'h');
  if (days < 2 * 365) return `${days}d`;
  const years = Math.floor(whole / YEAR);
  return years < 8 ? two(`${years}y`, days % 365, 'd') : `${years}y`;
}

/** Since a timestamp, or `<unknown>` without one. */
export function age(timestamp: unknown, now: Date): string {
  const at = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
  return Number.isNaN(at) ? '<unknown>' : humanDuration((now.getTime() - at) / 1000);
}
