import type { z } from 'zod';
import type { FieldError } from './errors.ts';

/** zod's issues as field errors: the field's path, a stable code, a sentence. Unknown fields are named one by one. */
export function fieldErrors(error: z.ZodError): FieldError[] {
  return error.issues.flatMap((issue) => {
    const path = issue.path.map(String);
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        field: [...path, key].join('.'),
        code: 'unknown_field',
        message: 'is not a known field',
      }));
    }
    const missing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined');
    return [
      {
        field: path.join('.'),
        code: missing ? 'required' : (codes[issue.code] ?? 'invalid'),
        message: missing ? 'is required' : issue.message,
      },
    ];
  });
}

const codes: Record<string, string> = {
  invalid_type: 'wrong_type',
  too_small: 'too_small',
  too_big: 'too_big',
  invalid_format: 'invalid_format',
  invalid_value: 'unknown_value',
};
