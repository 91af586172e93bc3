#include <array>
#include <charconv>
#include <sstream>
#include <string_view>

#include "manager/cli/manifests/job_schema.h"

namespace fedra::cli {
namespace {

// One type a paragraph: its name, then its fields as NAME:TYPE. Before a name `*` says that the
// field is decisive, behind it `!` that it is required. [T] is a list of T, {T} a map to T;
// int32(0..) has bounds, =A|B is an enumeration; `label` and `subdomain` are strings with the
// syntax of names; `object` is any object. Kinds of volumes that are out of use are
// objects only.
constexpr std::string_view kTable = R"(
Job *apiVersion!:string *kind!:string *metadata:ObjectMeta *spec!:JobSpec status:any
JobSpec activeDeadlineSeconds:int64(0..) backoffLimit:int32(0..) backoffLimitPerIndex:int32(0..)
  completionMode:=NonIndexed|Indexed *completions:int32(0..) managedBy:string manualSelector:bool
  maxFailedIndexes:int32(0..) *parallelism:int32(0..) podFailurePolicy:PodFailurePolicy
  podReplacementPolicy:=Failed|TerminatingOrFailed selector:LabelSelector
  successPolicy:SuccessPolicy suspend:bool *template!:object
  ttlSecondsAfterFinished:int32(0..)
ObjectMeta *annotations:annotations creationTimestamp:string deletionGracePeriodSeconds:int64
  deletionTimestamp:string finalizers:[string] generateName:string generation:int64 *labels:labels
  managedFields:[object] *name:string *namespace:string ownerReferences:[OwnerReference]
  resourceVersion:string selfLink:string uid:string
PodFailurePolicy rules:[PodFailurePolicyRule]
LabelSelector matchExpressions:[LabelSelectorRequirement] matchLabels:labels
SuccessPolicy rules!:[SuccessPolicyRule]
Pod *apiVersion!:string *kind!:string *metadata:ObjectMeta *spec!:PodSpec status:any
PodTemplateSpec *metadata:ObjectMeta *spec:PodSpec
OwnerReference apiVersion!:string blockOwnerDeletion:bool controller:bool kind!:string name!:string
  uid!:string
PodFailurePolicyRule action!:=FailJob|FailIndex|Ignore|Count
  onExitCodes:PodFailurePolicyOnExitCodesRequirement
  onPodConditions:[PodFailurePolicyOnPodConditionsPattern]
LabelSelectorRequirement key!:string operator!:=In|NotIn|Exists|DoesNotExist values:[string]
SuccessPolicyRule succeededCount:int32(0..) succeededIndexes:string
PodSpec activeDeadlineSeconds:int64(1..2147483647) *affinity:Affinity
  automountServiceAccountToken:bool *containers:[Container] dnsConfig:PodDNSConfig
  dnsPolicy:=ClusterFirst|ClusterFirstWithHostNet|Default|None enableServiceLinks:bool
  ephemeralContainers:[object] hostAliases:[HostAlias] hostIPC:bool hostNetwork:bool hostPID:bool
  hostUsers:bool hostname:label hostnameOverride:string imagePullSecrets:[LocalObjectReference]
  *initContainers:[Container] *nodeName:subdomain *nodeSelector:labels os:PodOS
  *overhead:{quantity} preemptionPolicy:=PreemptLowerPriority|Never priority:int32
  priorityClassName:subdomain readinessGates:[PodReadinessGate] *resourceClaims:[PodResourceClaim]
  *resources:ResourceRequirements restartPolicy:string runtimeClassName:subdomain
  schedulerName:string schedulingGates:[PodSchedulingGate] *schedulingGroup:PodSchedulingGroup
  securityContext:PodSecurityContext serviceAccount:string serviceAccountName:subdomain
  setHostnameAsFQDN:bool shareProcessNamespace:bool subdomain:label
  terminationGracePeriodSeconds:int64 *tolerations:[Toleration]
  topologySpreadConstraints:[TopologySpreadConstraint] volumes:[Volume] workloadRef:any
PodFailurePolicyOnExitCodesRequirement containerName:string operator!:=In|NotIn values!:[int32]
PodFailurePolicyOnPodConditionsPattern status:string type:string
Affinity *nodeAffinity:NodeAffinity podAffinity:PodAffinity podAntiAffinity:PodAffinity
Container args:[string] command:[string] env:[EnvVar] envFrom:[EnvFromSource] image!:string
  imagePullPolicy:=Always|IfNotPresent|Never lifecycle:Lifecycle livenessProbe:Probe *name!:label
  ports:[ContainerPort] readinessProbe:Probe resizePolicy:[ContainerResizePolicy]
  *resources:ResourceRequirements *restartPolicy:string restartPolicyRules:[ContainerRestartRule]
  securityContext:SecurityContext startupProbe:Probe stdin:bool stdinOnce:bool
  terminationMessagePath:string terminationMessagePolicy:=File|FallbackToLogsOnError tty:bool
  volumeDevices:[VolumeDevice] volumeMounts:[VolumeMount] workingDir:string
PodDNSConfig nameservers:[string] options:[PodDNSConfigOption] searches:[string]
HostAlias hostnames:[string] ip:string
LocalObjectReference name:string
PodOS name!:=linux|windows
PodReadinessGate conditionType:string
PodResourceClaim *name:label *resourceClaimName:subdomain *resourceClaimTemplateName:subdomain
  *source:any
ResourceRequirements *claims:[ResourceClaim] *limits:{quantity} *requests:{quantity}
PodSchedulingGate name!:string
PodSchedulingGroup *podGroupName:string
PodSecurityContext appArmorProfile:AppArmorProfile fsGroup:int64 fsGroupChangePolicy:string
  runAsGroup:int64 runAsNonRoot:bool runAsUser:int64 seLinuxChangePolicy:string
  seLinuxOptions:object seccompProfile:SeccompProfile supplementalGroups:[int64]
  supplementalGroupsPolicy:string sysctls:[Sysctl] windowsOptions:object
Toleration *effect:=NoSchedule|PreferNoSchedule|NoExecute *key:string *operator:=Exists|Equal|Lt|Gt
  tolerationSeconds:int64 *value:string
TopologySpreadConstraint labelSelector:LabelSelector matchLabelKeys:[string] maxSkew:int32(1..)
  minDomains:int32(1..) nodeAffinityPolicy:=Honor|Ignore nodeTaintsPolicy:=Honor|Ignore
  topologyKey!:string whenUnsatisfiable!:=DoNotSchedule|ScheduleAnyway
Volume awsElasticBlockStore:object azureDisk:object azureFile:object cephfs:object cinder:object
  configMap:ConfigMapVolumeSource csi:CSIVolumeSource downwardAPI:DownwardAPIVolumeSource
  emptyDir:EmptyDirVolumeSource ephemeral:EphemeralVolumeSource fc:object flexVolume:object
  flocker:object gcePersistentDisk:object gitRepo:object glusterfs:object
  hostPath:HostPathVolumeSource image:ImageVolumeSource iscsi:object name!:label
  nfs:NFSVolumeSource persistentVolumeClaim:PersistentVolumeClaimVolumeSource
  photonPersistentDisk:object portworxVolume:object projected:ProjectedVolumeSource quobyte:object
  rbd:object scaleIO:object secret:SecretVolumeSource storageos:object vsphereVolume:object
NodeAffinity preferredDuringSchedulingIgnoredDuringExecution:[PreferredSchedulingTerm]
  *requiredDuringSchedulingIgnoredDuringExecution:NodeSelector
PodAffinity preferredDuringSchedulingIgnoredDuringExecution:[WeightedPodAffinityTerm]
  requiredDuringSchedulingIgnoredDuringExecution:[PodAffinityTerm]
EnvVar name!:string value:string valueFrom:EnvVarSource
EnvFromSource configMapRef:ConfigMapEnvSource prefix:string secretRef:SecretEnvSource
Lifecycle postStart:LifecycleHandler preStop:LifecycleHandler stopSignal:string
Probe exec:ExecAction failureThreshold:int32(0..) grpc:GRPCAction httpGet:HTTPGetAction
  initialDelaySeconds:int32(0..) periodSeconds:int32(0..) successThreshold:int32(0..)
  tcpSocket:TCPSocketAction terminationGracePeriodSeconds:int64 timeoutSeconds:int32(0..)
ContainerPort containerPort!:int32(1..65535) hostIP:string hostPort:int32(0..65535) name:string
  protocol:=TCP|UDP|SCTP
ContainerResizePolicy resourceName:string restartPolicy:string
ContainerRestartRule action:string exitCodes:object
SecurityContext allowPrivilegeEscalation:bool appArmorProfile:AppArmorProfile
  capabilities:Capabilities privileged:bool procMount:string readOnlyRootFilesystem:bool
  runAsGroup:int64 runAsNonRoot:bool runAsUser:int64 seLinuxOptions:object
  seccompProfile:SeccompProfile windowsOptions:object
VolumeDevice devicePath!:string name!:string
VolumeMount mountPath!:string mountPropagation:=None|HostToContainer|Bidirectional name!:string
  readOnly:bool recursiveReadOnly:string subPath:string subPathExpr:string
PodDNSConfigOption name:string value:string
ResourceClaim *name:string *request:string
AppArmorProfile localhostProfile:string type:string
SeccompProfile localhostProfile:string type:string
Sysctl name:string value:string
ConfigMapVolumeSource defaultMode:int32 items:[KeyToPath] name:string optional:bool
CSIVolumeSource driver!:string fsType:string nodePublishSecretRef:LocalObjectReference
  readOnly:bool volumeAttributes:{string}
DownwardAPIVolumeSource defaultMode:int32 items:[DownwardAPIVolumeFile]
EmptyDirVolumeSource medium:string sizeLimit:quantity
EphemeralVolumeSource volumeClaimTemplate:object
HostPathVolumeSource path!:string type:string
ImageVolumeSource pullPolicy:string reference:string
NFSVolumeSource path!:string readOnly:bool server!:string
PersistentVolumeClaimVolumeSource claimName!:string readOnly:bool
ProjectedVolumeSource defaultMode:int32 sources:[VolumeProjection]
SecretVolumeSource defaultMode:int32 items:[KeyToPath] optional:bool secretName:string
PreferredSchedulingTerm preference!:NodeSelectorTerm weight:int32(1..100)
NodeSelector *nodeSelectorTerms!:[NodeSelectorTerm]
WeightedPodAffinityTerm podAffinityTerm!:PodAffinityTerm weight:int32(1..100)
PodAffinityTerm labelSelector:LabelSelector matchLabelKeys:[string] mismatchLabelKeys:[string]
  namespaceSelector:LabelSelector namespaces:[string] topologyKey!:string
EnvVarSource configMapKeyRef:ConfigMapKeySelector fieldRef:ObjectFieldSelector
  fileKeyRef:FileKeySelector resourceFieldRef:ResourceFieldSelector secretKeyRef:SecretKeySelector
ConfigMapEnvSource name:string optional:bool
SecretEnvSource name:string optional:bool
LifecycleHandler exec:ExecAction httpGet:HTTPGetAction sleep:SleepAction tcpSocket:TCPSocketAction
ExecAction command:[string]
GRPCAction port:int32 service:string
HTTPGetAction host:string httpHeaders:[HTTPHeader] path:string port:intOrString scheme:string
TCPSocketAction host:string port:intOrString
Capabilities add:[string] drop:[string]
KeyToPath key!:string mode:int32 path!:string
DownwardAPIVolumeFile fieldRef:ObjectFieldSelector mode:int32 path:string
  resourceFieldRef:ResourceFieldSelector
VolumeProjection clusterTrustBundle:object configMap:ConfigMapProjection
  downwardAPI:DownwardAPIProjection podCertificate:object secret:SecretProjection
  serviceAccountToken:ServiceAccountTokenProjection
NodeSelectorTerm *matchExpressions:[NodeSelectorRequirement] *matchFields:[NodeSelectorRequirement]
ConfigMapKeySelector key!:string name:string optional:bool
ObjectFieldSelector apiVersion:string fieldPath!:string
FileKeySelector key:string optional:bool path:string volumeName:string
ResourceFieldSelector containerName:string divisor:quantity resource!:string
SecretKeySelector key!:string name:string optional:bool
SleepAction seconds:int64
HTTPHeader name:string value:string
ConfigMapProjection items:[KeyToPath] name:string optional:bool
DownwardAPIProjection items:[DownwardAPIVolumeFile]
SecretProjection items:[KeyToPath] name:string optional:bool
ServiceAccountTokenProjection audience:string expirationSeconds:int64 path:string
NodeSelectorRequirement *key!:string *operator!:=In|NotIn|Exists|DoesNotExist|Gt|Lt
  *values:[string]
)";

using ValueKind = ValueType::Kind;

struct SimpleType {
  std::string_view name;
  ValueKind kind;
};
constexpr std::array kSimple = {SimpleType{"any", ValueKind::kAny},
                                SimpleType{"object", ValueKind::kObject},
                                SimpleType{"bool", ValueKind::kBool},
                                SimpleType{"quantity", ValueKind::kQuantity},
                                SimpleType{"intOrString", ValueKind::kIntOrString},
                                SimpleType{"string", ValueKind::kString},
                                SimpleType{"label", ValueKind::kDnsLabel},
                                SimpleType{"subdomain", ValueKind::kDnsSubdomain},
                                SimpleType{"labels", ValueKind::kLabels},
                                SimpleType{"annotations", ValueKind::kAnnotations}};

void ReadBound(std::string_view text, int64_t& bound) {
  if (!text.empty()) std::from_chars(text.data(), text.data() + text.size(), bound);
}

// "int32(1..100)".
ValueType ReadInteger(std::string_view text) {
  ValueType type{.kind = ValueKind::kInteger};
  if (text.starts_with("int32")) {
    type.low = std::numeric_limits<int32_t>::min();
    type.high = std::numeric_limits<int32_t>::max();
  }
  if (const size_t open = text.find('('); open != std::string_view::npos) {
    const size_t dots = text.find("..");
    ReadBound(text.substr(open + 1, dots - open - 1), type.low);
    ReadBound(text.substr(dots + 2, text.size() - dots - 3), type.high);
  }
  return type;
}

ValueType ReadEnum(std::string_view text) {
  ValueType type{.kind = ValueKind::kEnum};
  std::istringstream words{std::string(text)};
  for (std::string word; std::getline(words, word, '|');) type.values.push_back(word);
  return type;
}

ValueType ReadValueType(std::string_view text) {
  if (text.starts_with('=')) return ReadEnum(text.substr(1));
  if (text.starts_with("int32") || text.starts_with("int64")) return ReadInteger(text);
  for (const SimpleType& simple : kSimple)
    if (simple.name == text) return {.kind = simple.kind};
  return {.kind = ValueKind::kObject, .name = std::string(text)};
}

// "*name!:label".
FieldType ReadFieldType(std::string_view word) {
  FieldType field;
  const size_t colon = word.find(':');
  std::string_view name = word.substr(0, colon);
  std::string_view type = word.substr(colon + 1);
  if (name.starts_with('*')) {
    field.is_decisive = true;
    name.remove_prefix(1);
  }
  if (name.ends_with('!')) {
    field.is_required = true;
    name.remove_suffix(1);
  }
  if (type.starts_with('[')) field.holder = FieldType::Holder::kList;
  if (type.starts_with('{')) field.holder = FieldType::Holder::kMap;
  if (field.holder != FieldType::Holder::kSingle) type = type.substr(1, type.size() - 2);
  field.name = name;
  field.value = ReadValueType(type);
  return field;
}

std::vector<ObjectType> ReadTable() {
  std::vector<ObjectType> types;
  std::istringstream words{std::string(kTable)};
  for (std::string word; words >> word;) {
    if (word.find(':') == std::string::npos)
      types.push_back({word, {}});
    else
      types.back().fields.push_back(ReadFieldType(word));
  }
  return types;
}

}  // namespace

const std::vector<ObjectType>& JobSchema() {
  static const std::vector<ObjectType> types = ReadTable();
  return types;
}

const ObjectType* FindType(std::string_view name) {
  for (const ObjectType& type : JobSchema())
    if (type.name == name) return &type;
  return nullptr;
}

}  // namespace fedra::cli
