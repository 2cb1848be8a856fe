// Not from its index, which also exports a helper for tests and with it a validator that compiles code.
import Form from "@rjsf/core/lib/components/Form.js";
import type { IconButtonProps, RJSFSchema, UiSchema } from "@rjsf/utils";
import { useMemo } from "react";
import { isCountable } from "../../api/exact-json.ts";
import type { FieldError } from "../../api/problem.ts";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { besideFields, interpretedValidator } from "./interpreted-validator.ts";
import style from "./run.module.css";
import type { Payload } from "./verdict.ts";

export interface PayloadFormProps {
  readonly schema: Record<string, unknown>;
  readonly payload: Payload;
  readonly errors: readonly FieldError[];
  readonly onChange: (payload: Payload) => void;
}

/** A field for each thing the schema names. What a form cannot say can be said as text. */
export function PayloadForm({ schema, payload, errors, onChange }: PayloadFormProps) {
  const extraErrors = useMemo(() => besideFields(errors), [errors]);
  if (!hasFields(schema)) {
    return <Empty title="Its schema names no fields">Write the payload as JSON: anything the schema allows.</Empty>;
  }
  if (!isCountable(payload)) {
    return <Empty title="Its numbers have more digits than a form can hold">Write the payload as JSON.</Empty>;
  }
  return (
    <div className={style.form} data-testid="run-form">
      <Form
        tagName="div"
        idPrefix="payload"
        schema={schema as RJSFSchema}
        uiSchema={uiSchema}
        formData={payload}
        validator={interpretedValidator}
        noValidate
        showErrorList={false}
        extraErrors={extraErrors}
        templates={templates}
        onChange={({ formData }) => onChange((formData ?? {}) as Payload)}
      >
        {/* The page has a button of its own. */}
        <span />
      </Form>
    </div>
  );
}

const uiSchema: UiSchema = { "ui:options": { submitButtonOptions: { norender: true } } };

const words: Readonly<Record<string, string>> = { Add: "Add", Remove: "Remove", Up: "Up", Down: "Down", Copy: "Copy" };

/** Words instead of the icons of a library that is not here. */
function worded(word: keyof typeof words) {
  return function WordButton({ onClick, disabled, id }: IconButtonProps) {
    return (
      <Button small onClick={onClick} disabled={disabled ?? false} id={id}>
        {words[word]}
      </Button>
    );
  };
}

const templates = {
  ButtonTemplates: {
    AddButton: worded("Add"),
    RemoveButton: worded("Remove"),
    MoveUpButton: worded("Up"),
    MoveDownButton: worded("Down"),
    CopyButton: worded("Copy"),
  },
};

/** Whether it can be filled in: the schema names fields, and none holds what a form would round. */
export function hasForm(schema: Record<string, unknown>, payload: Payload): boolean {
  return hasFields(schema) && isCountable(payload);
}

function hasFields(schema: Record<string, unknown>): boolean {
  const fields = schema["properties"];
  if (typeof fields === "object" && fields !== null && Object.keys(fields).length > 0) return true;
  return ["oneOf", "anyOf", "allOf", "$ref"].some((key) => key in schema);
}
