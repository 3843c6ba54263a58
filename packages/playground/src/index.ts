export type {
  PlaygroundConfiguration,
  PlaygroundContents,
  PlaygroundOptions,
  PlaygroundProvider,
  PlaygroundTool,
} from './options.ts';
export { type Playground, startPlayground } from './playground.ts';
export type {
  CatalogConfiguration,
  CatalogModel,
  CatalogProvider,
  Redaction,
  Retention,
  RunRequest,
  StreamLine,
} from './protocol.ts';
export { type ReportFacts, reportHtml, reportOfTrace } from './share/report.ts';
