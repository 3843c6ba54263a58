import type { Tool } from '@glassloop/core';
import { calculate } from './calculate.ts';
import { currentTime } from './current-time.ts';
import type { Folder } from './folder.ts';
import { listFilesTool } from './list-files.ts';
import { readFileTool } from './read-file.ts';

/** The built-in tools: read-only, and none sees anything outside `folder`. */
export function builtInTools(folder: Folder): readonly Tool[] {
  return [listFilesTool(folder), readFileTool(folder), calculate, currentTime];
}

export const BUILT_IN_NAMES: readonly string[] = ['list_files', 'read_file', 'calculate', 'current_time'];
