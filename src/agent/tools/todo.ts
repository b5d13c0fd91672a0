/** `todo_write`: the agent's plan; the list that was written last is carried over every compaction (S0.20). */
import { TodoWrite } from './schemas.ts';
import { controlTool, type ControlTool } from './control-tool.ts';

export function todoTool(description: string): ControlTool {
  return controlTool({ name: 'todo_write', description, schema: TodoWrite }, async ({ todos }) => ({
    ok: true,
    todos: todos.length,
  }));
}
