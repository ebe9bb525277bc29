import { compareWithReal } from './testing/table-suite.ts';
import { validationCases } from './testing/validation-cases.ts';

compareWithReal('values as the real API server judges them', 'validation.test', validationCases);
