import type { Question } from '../../protocol/question';
import { readForm } from '../../protocol/form';
import type { FormField, FormQuestion } from '../../protocol/formSchema';
import * as app from '../state/app';
import { answerQuestion, declineQuestion, setReply } from '../state/answering';
import { isRecord } from '../state/values';
import { t } from '../strings';
import { Shown } from './shown';
import { said } from '../said';

interface FormFieldsProps {
  readonly question: Question;
  readonly asked: FormQuestion;
  readonly usable: boolean;
}

/** A form of an MCP server. What is filled in stays while other requests are looked at. */
export function FormFields({ question, asked, usable }: FormFieldsProps) {
  const values = valuesOf(app.replies.value[question.id], asked);
  const read = readForm(asked.form, JSON.stringify(values));
  const change = (name: string, value: unknown) =>
    setReply(question.id, JSON.stringify({ ...values, [name]: value }));
  return (
    <form
      class="form-fields"
      onSubmit={(event) => {
        event.preventDefault();
        if (usable && read.ok) answerQuestion(question, JSON.stringify(read.content));
      }}
    >
      {asked.form.fields.map((field) => (
        <Field key={field.name} field={field} value={values[field.name]} change={change} />
      ))}
      {!read.ok && (
        <p class="request-why" role="status">
          {said(read.problem)}
        </p>
      )}
      <div class="request-buttons">
        <button type="submit" class="button" disabled={!usable || !read.ok}>
          {t('request.answer')}
        </button>
        <button
          type="button"
          class="button secondary"
          disabled={!usable}
          onClick={() => declineQuestion(question)}
        >
          {t('request.decline')}
        </button>
      </div>
    </form>
  );
}

interface FieldProps {
  readonly field: FormField;
  readonly value: unknown;
  readonly change: (name: string, value: unknown) => void;
}

function Field({ field, value, change }: FieldProps) {
  if (field.kind === 'choices') {
    const chosen: readonly unknown[] = Array.isArray(value) ? value : [];
    return (
      <fieldset class="form-field">
        <legend>
          <Label field={field} />
        </legend>
        {field.options.map((option) => (
          <label key={option.value}>
            <input
              type="checkbox"
              checked={chosen.includes(option.value)}
              onChange={({ currentTarget }) =>
                change(
                  field.name,
                  currentTarget.checked
                    ? [...chosen, option.value]
                    : chosen.filter((one) => one !== option.value),
                )
              }
            />{' '}
            <Shown text={option.label} />
          </label>
        ))}
      </fieldset>
    );
  }
  return (
    <label class="form-field">
      <Label field={field} />
      <Control field={field} value={value} change={change} />
    </label>
  );
}

function Label({ field }: { readonly field: FormField }) {
  return (
    <span>
      <Shown text={field.title} />
      {field.required && <span aria-hidden="true"> *</span>}
      {field.description !== undefined && (
        <span class="quiet">
          {' '}
          <Shown text={field.description} />
        </span>
      )}
    </span>
  );
}

function Control({ field, value, change }: FieldProps) {
  switch (field.kind) {
    case 'yesNo':
      return (
        <input
          type="checkbox"
          checked={value === true}
          onChange={({ currentTarget }) => change(field.name, currentTarget.checked)}
        />
      );
    case 'choice':
      return (
        <select
          class="text-field"
          value={typeof value === 'string' ? value : ''}
          onChange={({ currentTarget }) => change(field.name, currentTarget.value)}
        >
          <option value="" />
          {field.options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      );
    case 'text':
    case 'number':
    case 'choices':
      return (
        <input
          class="text-field"
          type="text"
          dir="auto"
          inputMode={field.kind === 'number' ? 'decimal' : 'text'}
          required={field.required}
          value={typeof value === 'string' || typeof value === 'number' ? String(value) : ''}
          onInput={({ currentTarget }) => change(field.name, currentTarget.value)}
        />
      );
  }
}

/** What has been filled in; before that, what the server has put there. */
function valuesOf(reply: string | undefined, asked: FormQuestion): Record<string, unknown> {
  const kept = reply === undefined ? undefined : parsed(reply);
  if (isRecord(kept)) return kept;
  return Object.fromEntries(
    asked.form.fields.flatMap((field) => {
      if (field.preset !== undefined) return [[field.name, field.preset]];
      return field.kind === 'yesNo' ? [[field.name, false]] : [];
    }),
  );
}

/** What a page remembers under this request's id may have been typed for another one: then it is no JSON. */
function parsed(reply: string): unknown {
  try {
    return JSON.parse(reply);
  } catch {
    return undefined;
  }
}
