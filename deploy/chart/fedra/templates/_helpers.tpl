{{- define "fedra.name" -}}
{{- .Values.nameOverride | default .Chart.Name | trunc 52 | trimSuffix "-" }}
{{- end }}

{{/* 52: the StatefulSet's pods have a label of this name, a dash and a hash of ten characters. */}}
{{- define "fedra.fullname" -}}
{{- $name := include "fedra.name" . }}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" }}
{{- else if contains $name .Release.Name }}
{{- .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 52 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "fedra.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}
{{- .Values.serviceAccount.name | default (include "fedra.fullname" .) }}
{{- else }}
{{- required "serviceAccount.name: which account, if none is created?" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "fedra.selectorLabels" -}}
app.kubernetes.io/name: {{ include "fedra.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "fedra.labels" -}}
{{ include "fedra.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- with .Values.labels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "fedra.image" -}}
{{- $repository := required "image.repository: where is the image that `make image` has written?" .Values.image.repository }}
{{- if .Values.image.digest }}
{{- printf "%s@%s" $repository .Values.image.digest }}
{{- else }}
{{- printf "%s:%s" $repository (.Values.image.tag | default .Chart.AppVersion) }}
{{- end }}
{{- end }}

{{/* "true" where the manager is the cluster of the release. */}}
{{- define "fedra.inCluster" -}}
{{- if not .Values.manager.kubeconfig.secretName }}true{{ end }}
{{- end }}

{{/* Whether there are two pods, of which one leads. */}}
{{- define "fedra.replicated" -}}
{{- if dig "highAvailability" "enabled" false .Values.config }}true{{ end }}
{{- end }}

{{/* fedra.yaml. */}}
{{- define "fedra.configuration" -}}
{{- $manager := dict }}
{{- if include "fedra.inCluster" . }}
{{- $_ := set $manager "inCluster" true }}
{{- else }}
{{- $_ := set $manager "kubeconfig" "manager/kubeconfig" }}
{{- with .Values.manager.context }}{{ $_ := set $manager "context" . }}{{ end }}
{{- end }}
{{- with .Values.manager.httpVersion }}{{ $_ := set $manager "httpVersion" . }}{{ end }}
{{- $workers := list }}
{{- range .Values.workers }}
{{- $kubeconfig := dict "kubeconfig" (printf "workers/%s/kubeconfig" .name) }}
{{- $workers = append $workers (merge $kubeconfig (omit . "secretName" "key" "files")) }}
{{- end }}
{{- $store := merge (dict "path" "/var/lib/fedra/fedra.db") (.Values.config.store | default dict) }}
{{- $http := dict "address" (printf "%s:%v" .Values.http.address .Values.http.port) }}
{{- if .Values.health.enabled }}
{{- $_ := set $http "health" (printf "%s:%v" .Values.health.address .Values.health.port) }}
{{- end }}
{{- $head := dict "apiVersion" "fedra.dev/v1alpha1" "kind" "Configuration" }}
{{- $rest := dict "manager" $manager "workers" $workers "store" $store "http" $http }}
{{- if .Values.secureApi.enabled }}
{{- $_ := set $rest "api" (dict "secure" (include "fedra.secureApi" . | fromYaml)) }}
{{- end }}
{{- if include "fedra.inCluster" . }}
{{- $lease := dict "leaseNamespace" .Release.Namespace "leaseName" (include "fedra.fullname" .) }}
{{- $given := .Values.config.highAvailability | default dict }}
{{- $_ := set $rest "highAvailability" (mustMerge (deepCopy $given) $lease) }}
{{- end }}
{{- mustMerge $head $rest (omit .Values.config "store") | toYaml }}
{{- end }}

{{/* "true" of an address that nobody outside of the pod reaches. */}}
{{- define "fedra.onLoopback" -}}
{{- if regexMatch "^(127\\.|\\[::1\\]$)" . }}true{{ end }}
{{- end }}

{{/* The port that kubelets ask. */}}
{{- define "fedra.probed" -}}
{{- .Values.health.enabled | ternary "health" "http" }}
{{- end }}

{{/* api.secure of fedra.yaml. */}}
{{- define "fedra.secureApi" -}}
{{- $service := include "fedra.fullname" . }}
address: {{ printf "%s:%v" .Values.secureApi.address .Values.secureApi.port | quote }}
{{- if .Values.secureApi.secretName }}
certFile: tls/tls.crt
keyFile: tls/tls.key
{{- end }}
hosts:
- {{ $service }}
- {{ $service }}.{{ .Release.Namespace }}
- {{ $service }}.{{ .Release.Namespace }}.svc
{{- with .Values.secureApi.hosts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* What the daemon takes over without a restart is not in the checksum that restarts it. */}}
{{- define "fedra.checksum" -}}
{{- $configuration := include "fedra.configuration" . | fromYaml }}
{{- $dispatch := omit ($configuration.dispatch | default dict) "removedWorkers" }}
{{- $logging := omit ($configuration.logging | default dict) "level" }}
{{- $rest := omit $configuration "workers" "dispatch" "logging" }}
{{- list $rest $dispatch $logging | toJson | sha256sum }}
{{- end }}

{{- define "fedra.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "fedra.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- /* Of a pod that asks once and ends. A namespace with a ResourceQuota takes none without. */ -}}
{{- define "fedra.briefResources" -}}
requests:
  cpu: 10m
  memory: 64Mi
limits:
  memory: 256Mi
{{- end }}

{{- define "fedra.volumeMounts" -}}
- name: configuration
  mountPath: /etc/fedra
  readOnly: true
- name: store
  mountPath: /var/lib/fedra
- name: tmp
  mountPath: /tmp
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Configuration and kubeconfigs in one volume: no subPath, which would never be updated. */}}
{{- define "fedra.volumes" -}}
- name: configuration
  projected:
    defaultMode: 0440
    sources:
    - configMap:
        name: {{ include "fedra.fullname" . }}
        items:
        - key: fedra.yaml
          path: fedra.yaml
    {{- with .Values.manager.kubeconfig }}
    {{- if .secretName }}
    - secret:
        name: {{ .secretName }}
        items:
        - key: {{ .key }}
          path: manager/kubeconfig
    {{- end }}
    {{- end }}
    {{- range .Values.workers }}
    {{- $folder := printf "workers/%s" .name }}
    - secret:
        name: {{ .secretName }}
        items:
        - key: {{ .key | default "kubeconfig" }}
          path: {{ $folder }}/kubeconfig
        {{- range .files }}
        - key: {{ . }}
          path: {{ $folder }}/{{ . }}
        {{- end }}
    {{- end }}
    {{- with .Values.secureApi }}
    {{- if and .enabled .secretName }}
    - secret:
        name: {{ .secretName }}
        items:
        - key: tls.crt
          path: tls/tls.crt
        - key: tls.key
          path: tls/tls.key
    {{- end }}
    {{- end }}
- name: tmp
  emptyDir:
    medium: Memory
    sizeLimit: 16Mi
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* The document of `kind` in the file files/`file`. The files are those of deploy/: one truth for all. */}}
{{- define "fedra.document" -}}
{{- $kind := .kind }}
{{- $found := dict }}
{{- range splitList "\n---\n" (.root.Files.Get (printf "files/%s" .file)) }}
{{- $document := fromYaml . }}
{{- if eq $document.kind $kind }}
{{- $found = $document }}
{{- end }}
{{- end }}
{{- if not $found }}{{ fail (printf "files/%s has no %s" .file $kind) }}{{ end }}
{{- toYaml $found }}
{{- end }}
