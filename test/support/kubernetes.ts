import { execFileSync } from 'node:child_process';
import { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import { StatefulSet } from 'kubernetes-models/apps/v1/StatefulSet';
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler';
import { CronJob } from 'kubernetes-models/batch/v1/CronJob';
import { Ingress } from 'kubernetes-models/networking.k8s.io/v1/Ingress';
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import { PriorityClass } from 'kubernetes-models/scheduling.k8s.io/v1/PriorityClass';
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap';
import { Namespace } from 'kubernetes-models/v1/Namespace';
import { Service } from 'kubernetes-models/v1/Service';
import { ServiceAccount } from 'kubernetes-models/v1/ServiceAccount';
import { parseAllDocuments } from 'yaml';
import { root } from './repository.ts';

// biome-ignore lint/suspicious/noExplicitAny: what a YAML file holds is only known once it is read.
type Yaml = any;

export const objectsOf = (text: string): Yaml[] => parseAllDocuments(text).map((document) => document.toJS());

/** Kustomize comes with kubectl, which not every machine has. */
export const hasKubectl: boolean = (() => {
  try {
    return execFileSync('kubectl', ['version', '--client'], { stdio: ['ignore', 'pipe', 'ignore'] }).length > 0;
  } catch {
    return false;
  }
})();

/** What `kubectl apply -k` sends. @param folder of the repository, or an absolute one */
export const kustomize = (folder: string): Yaml[] =>
  objectsOf(execFileSync('kubectl', ['kustomize', folder], { cwd: root, encoding: 'utf8' }));

/** Every kind of Kubernetes' own that may stand there; the package also knows API versions that clusters have dropped. */
const kinds: Record<string, new (object: Yaml) => { validate(): void }> = {
  'apps/v1 Deployment': Deployment,
  'apps/v1 StatefulSet': StatefulSet,
  'autoscaling/v2 HorizontalPodAutoscaler': HorizontalPodAutoscaler,
  'batch/v1 CronJob': CronJob,
  'networking.k8s.io/v1 Ingress': Ingress,
  'networking.k8s.io/v1 NetworkPolicy': NetworkPolicy,
  'policy/v1 PodDisruptionBudget': PodDisruptionBudget,
  'scheduling.k8s.io/v1 PriorityClass': PriorityClass,
  'v1 ConfigMap': ConfigMap,
  'v1 Namespace': Namespace,
  'v1 Service': Service,
  'v1 ServiceAccount': ServiceAccount,
};

/** Throws, with the path of every fault, for what the Kubernetes API would refuse. */
export function validate(object: Yaml): void {
  const kind = kinds[`${object.apiVersion} ${object.kind}`];
  if (kind === undefined) throw new Error(`unexpected ${object.apiVersion} ${object.kind}`);
  new kind(object).validate();
}

const volumeKinds: ReadonlySet<string> = new Set([
  ...['configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral', 'persistentVolumeClaim', 'projected', 'secret'],
]);

/** What the standard "restricted" of pod security demands of a pod, and it lacks. @param spec of the pod */
export function pastRestricted(spec: Yaml): string[] {
  const { securityContext = {}, volumes = [], containers, initContainers = [] } = spec;
  const shared = ['hostNetwork', 'hostPID', 'hostIPC'].filter((name) => spec[name] === true);
  const mounted = volumes.flatMap(({ name, ...source }: Yaml) =>
    Object.keys(source).every((kind) => volumeKinds.has(kind)) ? [] : [`volume ${name}`],
  );
  const own = [...containers, ...initContainers].flatMap((container) =>
    faultsOf(container, securityContext).map((fault) => `${container.name} ${fault}`),
  );
  return [...shared, ...mounted, ...own];
}

function faultsOf({ securityContext: own = {}, ports = [] }: Yaml, ofPod: Yaml): string[] {
  const both = { ...ofPod, ...own };
  const { drop = [], add = [] } = own.capabilities ?? {};
  const faults: Record<string, boolean> = {
    'runs as root': both.runAsNonRoot !== true || both.runAsUser === 0,
    'has no profile of seccomp': both.seccompProfile?.type !== 'RuntimeDefault',
    'may gain privileges': own.allowPrivilegeEscalation !== false || own.privileged === true,
    'has capabilities': !drop.includes('ALL') || add.some((one: string) => one !== 'NET_BIND_SERVICE'),
    'takes a port of its machine': ports.some(({ hostPort }: Yaml) => hostPort !== undefined),
  };
  return Object.keys(faults).filter((fault) => faults[fault]);
}
