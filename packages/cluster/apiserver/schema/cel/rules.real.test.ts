import { ruleCases } from '../testing/rule-cases.ts';
import { compareWithReal } from '../testing/table-suite.ts';

compareWithReal('rules as the real API server judges by them', 'rules.test', ruleCases);
