export { connectMcp, type McpConnection, type McpOptions } from './connect.ts';
export { type McpServer, variablesIn } from './server.ts';
