import type {
  AssembledStep,
  EndStep,
  ErrorStep,
  Message,
  RequestStep,
  ResponseStep,
  RunStep,
  ToolStep,
} from '@glassloop/core';

/** Unix milliseconds. */
interface Times {
  readonly startMs: number;
  readonly endMs: number;
}

interface Of {
  readonly round: number;
  readonly at: number;
}

/** The whole run: the parent of all other spans. */
export interface RunFacts extends Times {
  readonly span: 'run';
  /** Absent in a trace that lost its beginning. */
  readonly assembled?: AssembledStep;
  /** Absent while the run goes on, and in a trace that was cut. */
  readonly end?: EndStep;
  /** The text of the last user message, and of the last answer. */
  readonly question?: string;
  readonly answer?: string;
}

/** One request and what came of it. */
export interface ChatFacts extends Times {
  readonly span: 'chat';
  readonly round: number;
  readonly assembled?: AssembledStep;
  readonly request: RequestStep;
  /** Absent: nothing was recorded of it. */
  readonly outcome?: ResponseStep | ErrorStep;
  /** What was sent, but for the first `omitted` messages. */
  readonly messages: readonly Message[];
  readonly omitted: number;
}

export interface ToolFacts extends Times {
  readonly span: 'tool';
  readonly round: number;
  readonly step: ToolStep;
  readonly description?: string;
}

export type SpanFacts = RunFacts | ChatFacts | ToolFacts;

/** Characters of a conversation that are repeated with every request of it; a longer one is given by what is new, so that an export does not grow with its square. */
const MOST_REPEATED = 200_000;

/** Turns steps into spans, as they come. Keeps no more than a bounded piece of the conversation. */
export class RunSpans {
  #assembled: AssembledStep | undefined;
  #open: (RequestStep & Of) | undefined;
  #history: Message[] = [];
  #historyLength = 0;
  #omitted = 0;
  #startMs: number | undefined;
  #lastMs = 0;
  #question: string | undefined;
  #answer: string | undefined;
  #end: EndStep | undefined;

  /** The spans that are complete with this step; none, one, or the one that was left open. */
  add(step: RunStep): readonly (ChatFacts | ToolFacts)[] {
    this.#startMs ??= step.at;
    this.#lastMs = Math.max(this.#lastMs, step.at);
    switch (step.kind) {
      case 'assembled':
        this.#assembled = step;
        this.#remember(step.added);
        return [];
      case 'request': {
        const left = this.#close(undefined, step.at);
        if (step.added.length > 0) this.#remember(step.added);
        this.#open = step;
        return left;
      }
      case 'response':
        this.#answer = step.message.content;
        return this.#close(step, step.at);
      case 'error':
        return this.#close(step, step.at);
      case 'tool': {
        const description = this.#assembled?.tools.find(({ name }) => name === step.call.name)?.description;
        return [
          {
            span: 'tool',
            round: step.round,
            step,
            startMs: step.at - step.durationMs,
            endMs: step.at,
            ...(description === undefined ? {} : { description }),
          },
        ];
      }
      case 'end':
        this.#end = step;
        return this.#close(undefined, step.at);
    }
  }

  /** The run so far; with a request that nothing came of, if there is one. */
  finish(): readonly SpanFacts[] {
    const left = this.#close(undefined, this.#lastMs);
    const end = this.#end;
    return [
      ...left,
      {
        span: 'run',
        startMs: this.#startMs ?? 0,
        endMs: this.#lastMs,
        ...(this.#assembled === undefined ? {} : { assembled: this.#assembled }),
        ...(end === undefined ? {} : { end }),
        ...(this.#question === undefined ? {} : { question: this.#question }),
        ...(this.#answer === undefined ? {} : { answer: this.#answer }),
      },
    ];
  }

  #close(outcome: ((ResponseStep | ErrorStep) & Of) | undefined, at: number): readonly ChatFacts[] {
    const request = this.#open;
    if (request === undefined) return [];
    this.#open = undefined;
    return [
      {
        span: 'chat',
        round: request.round,
        request,
        startMs: outcome === undefined ? request.at : Math.max(request.at, at - outcome.durationMs),
        endMs: at,
        messages: this.#history.slice(),
        omitted: this.#omitted,
        ...(this.#assembled === undefined ? {} : { assembled: this.#assembled }),
        ...(outcome === undefined ? {} : { outcome }),
      },
    ];
  }

  #remember(added: readonly Message[]): void {
    try {
      this.#add(added);
    } catch {
      // Only an edited file has such messages; the spans go on without them.
      this.#omitted++;
    }
  }

  #add(added: readonly Message[]): void {
    const last = added.findLast((message) => message.role === 'user');
    if (last !== undefined) this.#question = textOf(last.content);
    const length = JSON.stringify(added).length;
    if (this.#historyLength + length > MOST_REPEATED) {
      this.#omitted += this.#history.length;
      this.#history = [];
    }
    this.#history.push(...added);
    this.#historyLength += length;
  }
}

/** The text of a message; images are left out. */
export function textOf(content: Extract<Message, { role: 'user' }>['content']): string {
  if (typeof content === 'string') return content;
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
