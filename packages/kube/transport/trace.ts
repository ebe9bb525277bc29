import { isSpanContextValid, trace } from '@opentelemetry/api';

/** Appends W3C trace context to flat header pairs when a span is active. Needs no SDK and no registered propagator. */
export function pushTraceContext(headers: string[]): void {
  const context = trace.getActiveSpan()?.spanContext();
  if (context === undefined || !isSpanContextValid(context)) return;
  const flags = (context.traceFlags & 0xff).toString(16).padStart(2, '0');
  headers.push('traceparent', `00-${context.traceId}-${context.spanId}-${flags}`);
  const state = context.traceState?.serialize();
  if (state) headers.push('tracestate', state);
}
