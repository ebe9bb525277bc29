import type { Json, JsonObject } from '../../schema/structural.ts';
import { AGE, ageCell, type ColumnInput, NAME, nameCell, tableOf, wide } from '../columns.ts';
import { maybeObject, metadataAt, objectAt, objectsAt, specAt, statusAt, stringsAt, textAt } from '../fields.ts';

const text = (name: string, says?: string): ColumnInput => [name, 'string', says === undefined ? {} : { says }];
const SHORT_MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};
const modes = (list: readonly string[]): string =>
  Object.keys(SHORT_MODES)
    .filter((mode) => list.includes(mode))
    .map((mode) => SHORT_MODES[mode])
    .join(',');
const phase = (object: JsonObject): string =>
  textAt(metadataAt(object), 'deletionTimestamp') === '' ? textAt(statusAt(object), 'phase') : 'Terminating';

export const claimTable = tableOf(
  [
    NAME,
    ['Status', 'string'],
    text('Volume', 'The volume it is bound to.'),
    text('Capacity', 'How large that is.'),
    text('Access Modes', 'How it may be mounted.'),
    text('StorageClass', 'The class that provides it.'),
    text('VolumeAttributesClass', 'The class of its attributes.'),
    AGE,
    wide('VolumeMode', 'A file system or a block device.'),
  ],
  (claim, now): Json[] => {
    const [spec, status] = [specAt(claim), statusAt(claim)];
    const volume = textAt(spec, 'volumeName');
    return [
      nameCell(claim),
      phase(claim),
      volume,
      volume === '' ? '' : textAt(objectAt(status, 'capacity'), 'storage') || '0',
      volume === '' ? '' : modes(stringsAt(status, 'accessModes')),
      textAt(spec, 'storageClassName'),
      textAt(spec, 'volumeAttributesClassName') || '<unset>',
      ageCell(claim, now),
      textAt(spec, 'volumeMode') || '<unset>',
    ];
  },
);

export const volumeTable = tableOf(
  [
    NAME,
    text('Capacity', 'How large it is.'),
    text('Access Modes', 'How it may be mounted.'),
    text('Reclaim Policy', 'What becomes of it when its claim is gone.'),
    ['Status', 'string'],
    text('Claim', 'Who has it.'),
    text('StorageClass', 'The class it belongs to.'),
    text('VolumeAttributesClass', 'The class of its attributes.'),
    text('Reason', 'Why it failed.'),
    AGE,
    wide('VolumeMode', 'A file system or a block device.'),
  ],
  (volume, now): Json[] => {
    const spec = specAt(volume);
    const claim = maybeObject(spec, 'claimRef');
    return [
      nameCell(volume),
      textAt(objectAt(spec, 'capacity'), 'storage'),
      modes(stringsAt(spec, 'accessModes')),
      textAt(spec, 'persistentVolumeReclaimPolicy'),
      phase(volume),
      claim ? `${textAt(claim, 'namespace')}/${textAt(claim, 'name')}` : '',
      textAt(spec, 'storageClassName'),
      textAt(spec, 'volumeAttributesClassName') || '<unset>',
      textAt(statusAt(volume), 'reason'),
      ageCell(volume, now),
      textAt(spec, 'volumeMode') || '<unset>',
    ];
  },
);

export const storageClassTable = tableOf(
  [
    NAME,
    text('Provisioner', 'Who provides the volumes.'),
    text('ReclaimPolicy', 'What becomes of volumes without a claim.'),
    text('VolumeBindingMode', 'When a volume is chosen.'),
    text('AllowVolumeExpansion', 'Whether volumes may grow.'),
    AGE,
  ],
  (storage, now) => [
    objectAt(metadataAt(storage), 'annotations')['storageclass.kubernetes.io/is-default-class'] === 'true'
      ? `${nameCell(storage)} (default)`
      : nameCell(storage),
    textAt(storage, 'provisioner'),
    textAt(storage, 'reclaimPolicy') || 'Delete',
    textAt(storage, 'volumeBindingMode') || '<unset>',
    storage['allowVolumeExpansion'] === true,
    ageCell(storage, now),
  ],
);

const flag = (name: string, says: string): ColumnInput => [name, 'boolean', { says }];

export const csiDriverTable = tableOf(
  [
    NAME,
    flag('AttachRequired', 'Whether volumes are attached first.'),
    flag('PodInfoOnMount', 'Whether it is told about the pod.'),
    flag('StorageCapacity', 'Whether it tells its capacity.'),
    text('TokenRequests', 'Audiences of the tokens it gets.'),
    flag('RequiresRepublish', 'Whether it is asked again and again.'),
    text('Modes', 'How long its volumes live.'),
    AGE,
  ],
  (driver, now) => {
    const spec = specAt(driver);
    const tokens = objectsAt(spec, 'tokenRequests').map((one) => textAt(one, 'audience'));
    return [
      nameCell(driver),
      spec['attachRequired'] !== false,
      spec['podInfoOnMount'] === true,
      spec['storageCapacity'] === true,
      tokens.length === 0 ? '<unset>' : tokens.join(','),
      spec['requiresRepublish'] === true,
      stringsAt(spec, 'volumeLifecycleModes').join(',') || '<none>',
      ageCell(driver, now),
    ];
  },
);

export const csiNodeTable = tableOf(
  [NAME, ['Drivers', 'integer', { says: 'How many drivers it has.' }], AGE],
  (node, now) => [nameCell(node), objectsAt(specAt(node), 'drivers').length, ageCell(node, now)],
);

export const volumeAttachmentTable = tableOf(
  [
    NAME,
    ['Attacher', 'string', { format: 'name', says: 'Who attaches it.' }],
    text('PV', 'The volume.'),
    text('Node', 'The node.'),
    flag('Attached', 'Whether it is attached.'),
    AGE,
  ],
  (attachment, now) => [
    nameCell(attachment),
    textAt(specAt(attachment), 'attacher'),
    textAt(objectAt(specAt(attachment), 'source'), 'persistentVolumeName'),
    textAt(specAt(attachment), 'nodeName'),
    statusAt(attachment)['attached'] === true,
    ageCell(attachment, now),
  ],
);

export const volumeAttributesClassTable = tableOf(
  [NAME, text('DriverName', 'The driver it is for.'), AGE],
  (object, now) => [nameCell(object), textAt(object, 'driverName'), ageCell(object, now)],
);
