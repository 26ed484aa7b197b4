import type { Rule } from 'eslint';

declare const cord: { readonly rules: { readonly launch: Rule.RuleModule } };
export default cord;
