/** A project from files: load it, resolve a run of it, check it. */

export { type CheckOptions, checkProject, type ProjectCheck } from './check-project.ts';
export {
  type Configuration,
  defineConfig,
  type McpServerConfig,
  type ProjectConfig,
  type ProviderConfig,
} from './config.ts';
export { jsonSchemaValidator } from './json-schema-validator.ts';
export { findConfigFile, loadProject, type Project } from './load-project.ts';
export { ProjectError, type ProjectProblem } from './problem.ts';
export {
  type ResolvedProvider,
  type ResolvedRun,
  type RunParts,
  type RunRequest,
  resolveRun,
  withTools,
} from './resolve-run.ts';
export { LOCK_FILE } from './skill-lock.ts';
export { acceptSkills, readSkills, type SkillChange, type SkillFile, skillChanges } from './skills.ts';
export { readSnippets, type SnippetFile } from './snippets.ts';
export { type LoadedTool, loadTools } from './tools.ts';
