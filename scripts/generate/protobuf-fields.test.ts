import { describe, expect, test } from 'vitest';
import { reduceProtobuf, writeProtobufFields } from './protobuf-fields.ts';

const meta = {
  proto: `package k8s.io.apimachinery.pkg.apis.meta.v1;
message ObjectMeta {
  // A comment that mentions optional string ghost = 9;
  optional string name = 1;
  optional Time creationTimestamp = 8;
}
message Time {
  optional int64 seconds = 1;
}
`,
  go: [
    `package v1
type ObjectMeta struct {
	Name string \`json:"name,omitempty" protobuf:"bytes,1,opt,name=name"\`
	CreationTimestamp Time \`json:"creationTimestamp,omitempty,omitzero" protobuf:"bytes,8,opt,name=creationTimestamp"\`
}
`,
  ],
};

const toys = {
  proto: `package k8s.io.api.toys.v1;
message Toy {
  optional .k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta metadata = 1;
  optional Shape shape = 2;
  optional int32 size = 3;
  repeated string tags = 4;
  map<string, bytes> data = 5;
  optional string owner = 6;
  map<string, Words> words = 7;
}
message Shape {
  required bool round = 1;
}
message Words {
  repeated string items = 1;
}
`,
  go: [
    `package v1
type Toy struct {
	metav1.TypeMeta   \`json:",inline"\`
	metav1.ObjectMeta \`json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"\`

	// +optional
	Shape \`json:",inline" protobuf:"bytes,2,opt,name=shape"\`
	Size  *int32 \`json:"size,omitempty" protobuf:"varint,3,opt,name=size"\`
	Tags  []string \`json:"tags" protobuf:"bytes,4,rep,name=tags"\`
	Data  map[string][]byte \`json:"data,omitempty" protobuf:"bytes,5,rep,name=data"\`
	Owner *string \`json:"$owner" protobuf:"bytes,6,opt,name=owner"\`
	Words map[string]Words \`json:"words,omitempty" protobuf:"bytes,7,rep,name=words"\`
}
type Shape struct {
	Round bool \`json:"round" protobuf:"varint,1,opt,name=round"\`
}
type Words []string
`,
  ],
};

describe('protobuf fields', () => {
  test('numbers and types come from the messages, names and presence from the structs', () => {
    const fields = reduceProtobuf('v1.0.0', { 'toys/v1': toys }, meta);
    expect(fields).toEqual({
      kubernetes: 'v1.0.0',
      packages: { 'toys/v1': 'toys.v1' },
      messages: {
        'toys.v1.Toy': [
          '1 metadata ! meta.v1.ObjectMeta',
          '2 - < toys.v1.Shape',
          '3 size * int32',
          '4 tags ! []string',
          '5 data ? {}bytes',
          '6 $owner ~ string',
          '7 words ? {}toys.v1.Words',
        ],
        'toys.v1.Shape': ['1 round ! bool'],
        'toys.v1.Words': '[]string',
        'meta.v1.ObjectMeta': ['1 name ? string', '8 creationTimestamp ? meta.v1.Time'],
      },
    });
    expect(JSON.parse(writeProtobufFields(fields))).toEqual(fields);
  });

  test('a field without its struct, and a message that was not read, are errors', () => {
    const lost = { ...toys, go: toys.go.map((text) => text.replace(',3,opt', ',33,opt')) };
    expect(() => reduceProtobuf('v1.0.0', { 'toys/v1': lost }, meta)).toThrow(/toys\.v1\.Toy has field 3/);
    const unread = { ...toys, proto: toys.proto.replace('optional Shape', 'optional .k8s.io.api.other.v1.Shape') };
    expect(() => reduceProtobuf('v1.0.0', { 'toys/v1': unread }, meta)).toThrow(/other\.v1\.Shape/);
  });
});
