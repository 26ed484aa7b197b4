import type { Rule } from 'eslint';

declare const architecture: { readonly rules: { readonly doors: Rule.RuleModule } };
export default architecture;
