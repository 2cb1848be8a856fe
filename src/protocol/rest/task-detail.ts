import Type from "typebox";
import { Task } from "./task-bodies.ts";

/** Rights alone: whether the state of the task allows it too is to be seen when it is tried. */
export const TaskRights = Type.Object(
  { cancel: Type.Boolean(), retry: Type.Boolean(), delete: Type.Boolean(), evict: Type.Boolean() },
  { description: "What the caller may do to it, as far as it is a matter of rights." },
);

/** A task that was read alone. */
export const TaskDetail = Type.Object({ ...Task.properties, may: TaskRights });
