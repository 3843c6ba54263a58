/** Runs as OpenTelemetry spans, while they happen. Needs only the API; the application chooses the SDK and where spans go. */

export { type SpanRecorderOptions, spanRecorder } from './span-recorder.ts';
