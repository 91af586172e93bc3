module fedra.dev/tests/real/kinds

go 1.26.0

require github.com/kubeflow/spark-operator/v2 v2.5.1
