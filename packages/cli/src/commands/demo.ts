import type { Command } from 'commander';
import type { Context } from '../context.ts';

export function addDemo(_program: Command, _context: Context, _ended: (exitCode: number) => void): void {}
