/** A request as it once was, to be changed and run again: a whole run's, or the conversation up to one of its steps. */

import type { AssembledStep, Message, RequestStep, RunStep } from '@glassloop/core';
import type { Catalog, RunRequest } from '../../protocol.ts';
import { api } from '../api.ts';
import { t } from '../i18n/index.ts';

/** Rejects with a problem of the server, or when there is nothing that could be run. */
export async function requestFrom(
  id: string,
  step: number | undefined,
  catalog: Catalog,
): Promise<RunRequest> {
  const { header, rows } = await api.run(id);
  if (step === undefined) {
    if (header.request === undefined) throw new Error(t('run.fromNothing'));
    return header.request;
  }
  const seqOf = (kind: RunStep['kind'], last: number) =>
    rows.findLast((row) => row.kind === kind && row.seq <= last)?.seq;
  const [assembledSeq, requestSeq] = [seqOf('assembled', step), seqOf('request', step)];
  if (assembledSeq === undefined) throw new Error(t('run.fromNothing'));
  const [assembled, request, { messages }] = await Promise.all([
    api.step<AssembledStep>(id, assembledSeq),
    requestSeq === undefined ? undefined : api.step<RequestStep>(id, requestSeq),
    api.messages(id),
  ]);
  const { settings, tools } = assembled;
  const known = new Set(catalog.tools.map(({ name }) => name));
  const configured = catalog.configurations.find((one) => one.id === header.request?.configuration);
  const provider = header.request?.provider ?? configured?.provider;
  return {
    ...(provider === undefined ? {} : { provider }),
    model: settings.model,
    messages: sentBy(request, messages) ?? messages.slice(0, assembled.added.length),
    // All that was put into the prompt is in these messages already: no configuration, skill or snippet adds it again.
    skills: [],
    snippets: [],
    tools: tools.map(({ name }) => name).filter((name) => known.has(name)),
    options: settings.options,
    maxRounds: settings.maxRounds,
    ...(header.capturesRaw ? { captureRaw: true } : {}),
    forkedFrom: { run: id, step: requestSeq ?? assembledSeq },
  };
}

function sentBy(
  request: RequestStep | undefined,
  messages: readonly Message[],
): readonly Message[] | undefined {
  return request?.sent.flatMap(([start, end]) => messages.slice(start, end));
}
