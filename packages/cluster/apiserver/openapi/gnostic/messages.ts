/**
 * The protobuf messages that an OpenAPI v2 document becomes, by the names of its JSON. Facts of a public format; only those
 * parts of it are here that our documents use, or that the real server's do.
 */

/**
 * The type of a field: a scalar, `any` (YAML in a message of its own), `list:X`, or the name of a message or of a union, which
 * `encode.ts` knows.
 */
export type FieldType = string;

export interface GnosticMessage {
  /** By JSON name: number and type. */
  readonly fields: Readonly<Record<string, readonly [number, FieldType]>>;
  /** The number under which `x-…` keys go. */
  readonly extensions?: number;
  /** The number under which all other keys go, and of what type their values are: `paths` and `responses`. */
  readonly others?: readonly [number, FieldType];
}

const parameter = {
  required: [1, 'bool'],
  in: [2, 'string'],
  description: [3, 'string'],
  name: [4, 'string'],
} as const;

export const messages: Readonly<Record<string, GnosticMessage>> = {
  Document: {
    fields: {
      swagger: [1, 'string'],
      info: [2, 'Info'],
      paths: [8, 'Paths'],
      definitions: [9, 'Definitions'],
      parameters: [10, 'ParameterDefinitions'],
      security: [12, 'list:SecurityRequirement'],
      securityDefinitions: [13, 'SecurityDefinitions'],
    },
    extensions: 16,
  },
  Info: { fields: { title: [1, 'string'], version: [2, 'string'], description: [3, 'string'] }, extensions: 7 },
  Paths: { fields: {}, extensions: 1, others: [2, 'PathItem'] },
  Definitions: { fields: {}, others: [1, 'Schema'] },
  ParameterDefinitions: { fields: {}, others: [1, 'Parameter'] },
  SecurityRequirement: { fields: {}, others: [1, 'StringArray'] },
  SecurityDefinitions: { fields: {}, others: [1, 'SecurityDefinitionsItem'] },
  PathItem: {
    fields: {
      get: [2, 'Operation'],
      put: [3, 'Operation'],
      post: [4, 'Operation'],
      delete: [5, 'Operation'],
      options: [6, 'Operation'],
      head: [7, 'Operation'],
      patch: [8, 'Operation'],
      parameters: [9, 'list:ParametersItem'],
    },
    extensions: 10,
  },
  Operation: {
    fields: {
      tags: [1, 'list:string'],
      summary: [2, 'string'],
      description: [3, 'string'],
      operationId: [5, 'string'],
      produces: [6, 'list:string'],
      consumes: [7, 'list:string'],
      parameters: [8, 'list:ParametersItem'],
      responses: [9, 'Responses'],
      schemes: [10, 'list:string'],
      deprecated: [11, 'bool'],
    },
    extensions: 13,
  },
  Responses: { fields: {}, extensions: 2, others: [1, 'ResponseValue'] },
  Response: { fields: { description: [1, 'string'], schema: [2, 'SchemaItem'] }, extensions: 5 },
  JsonReference: { fields: { $ref: [1, 'string'], description: [2, 'string'] } },
  BodyParameter: {
    fields: {
      description: [1, 'string'],
      name: [2, 'string'],
      in: [3, 'string'],
      required: [4, 'bool'],
      schema: [5, 'Schema'],
    },
    extensions: 6,
  },
  QueryParameter: {
    fields: { ...parameter, type: [6, 'string'], format: [7, 'string'], uniqueItems: [20, 'bool'] },
    extensions: 23,
  },
  PathParameter: {
    fields: { ...parameter, type: [5, 'string'], format: [6, 'string'], uniqueItems: [19, 'bool'] },
    extensions: 22,
  },
  HeaderParameter: {
    fields: { ...parameter, type: [5, 'string'], format: [6, 'string'], uniqueItems: [19, 'bool'] },
    extensions: 22,
  },
  ApiKeySecurity: {
    fields: { type: [1, 'string'], name: [2, 'string'], in: [3, 'string'], description: [4, 'string'] },
    extensions: 5,
  },
  Schema: {
    fields: {
      $ref: [1, 'string'],
      format: [2, 'string'],
      title: [3, 'string'],
      description: [4, 'string'],
      default: [5, 'any'],
      multipleOf: [6, 'double'],
      maximum: [7, 'double'],
      exclusiveMaximum: [8, 'bool'],
      minimum: [9, 'double'],
      exclusiveMinimum: [10, 'bool'],
      maxLength: [11, 'int64'],
      minLength: [12, 'int64'],
      pattern: [13, 'string'],
      maxItems: [14, 'int64'],
      minItems: [15, 'int64'],
      uniqueItems: [16, 'bool'],
      maxProperties: [17, 'int64'],
      minProperties: [18, 'int64'],
      required: [19, 'list:string'],
      enum: [20, 'list:any'],
      additionalProperties: [21, 'AdditionalProperties'],
      type: [22, 'StringItem'],
      items: [23, 'Items'],
      allOf: [24, 'list:Schema'],
      properties: [25, 'Definitions'],
      example: [30, 'any'],
    },
    extensions: 31,
  },
};
