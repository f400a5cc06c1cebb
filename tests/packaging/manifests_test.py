# SPDX-License-Identifier: Apache-2.0
"""The rendered manifests are what Kubernetes and Kubeflow accept. Run by test_manifests.sh."""

import glob
import os
import unittest

import kubernetes_validate
import yaml

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../core/cluster/manifests")
VERSIONS = ["1.29", "1.31", "1.33"]

# A TFJob's fields (kubeflow.org/v1): a type, the words it may be, or the fields below it. The
# template is checked as a pod.
REPLICA = {
    "replicas": int,
    "restartPolicy": {"Always", "OnFailure", "Never", "ExitCode"},
    "template": {"metadata": dict, "spec": dict},
}
TF_JOB = {
    "apiVersion": {"kubeflow.org/v1"},
    "kind": {"TFJob"},
    "metadata": {"name": str, "namespace": str, "labels": dict, "annotations": dict},
    "spec": {
        "runPolicy": {
            "activeDeadlineSeconds": int,
            "backoffLimit": int,
            "cleanPodPolicy": {"All", "Running", "None"},
            "ttlSecondsAfterFinished": int,
        },
        "successPolicy": {"", "AllWorkers"},
        "enableDynamicWorker": bool,
        "tfReplicaSpecs": {kind: REPLICA for kind in ("Chief", "Worker", "PS", "Evaluator")},
    },
}


def documents(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return list(yaml.safe_load_all(file))


class ManifestsTest(unittest.TestCase):
    def check_fields(self, value, table, path):
        if isinstance(table, set):
            self.assertIn(value, table, path)
        elif isinstance(table, type):
            self.assertIs(type(value), table, path)
        else:
            self.assertIs(type(value), dict, path)
            for key, entry in value.items():
                self.assertIn(key, table, path)
                self.check_fields(entry, table[key], f"{path}.{key}")

    def test_objects_of_kubernetes_have_their_fields(self):
        checked = 0
        for path in glob.glob(os.path.join(FOLDER, "*.yaml")):
            for document in documents(os.path.basename(path)):
                if document["kind"] == "TFJob":
                    continue
                for version in VERSIONS:
                    kubernetes_validate.validate(document, version, strict=True)
                    checked += 1
        self.assertGreaterEqual(checked, 13 * len(VERSIONS))

    def test_a_field_that_does_not_exist_is_found(self):
        job = next(d for d in documents("indexed_job.yaml") if d["kind"] == "Job")
        job["spec"]["podReplacementPolity"] = job["spec"].pop("podReplacementPolicy")
        with self.assertRaises(kubernetes_validate.ValidationError):
            kubernetes_validate.validate(job, VERSIONS[0], strict=True)

    def test_a_tf_job_has_its_fields(self):
        job = next(d for d in documents("tf_job.yaml") if d["kind"] == "TFJob")
        self.check_fields(job, TF_JOB, "TFJob")
        replicas = job["spec"]["tfReplicaSpecs"]
        self.assertEqual(
            {kind: spec["replicas"] for kind, spec in replicas.items()},
            {"Chief": 1, "Worker": 3, "PS": 2, "Evaluator": 1},
        )
        for spec in replicas.values():
            pod = {"apiVersion": "v1", "kind": "Pod", **spec["template"]}
            kubernetes_validate.validate(pod, VERSIONS[0], strict=True)
            # The operator looks for this container and this port.
            (container,) = pod["spec"]["containers"]
            self.assertEqual(container["name"], "tensorflow")
            self.assertEqual(container["ports"], [{"name": "tfjob-port", "containerPort": 2222}])

    def test_pods_have_no_rights(self):
        for name, kind in (("indexed_job.yaml", "Job"), ("tf_job.yaml", "TFJob")):
            job = next(d for d in documents(name) if d["kind"] == kind)
            spec = job["spec"]
            template = spec["template"] if kind == "Job" else spec["tfReplicaSpecs"]["PS"]["template"]
            pod = template["spec"]
            self.assertTrue(pod["securityContext"]["runAsNonRoot"])
            self.assertFalse(pod["automountServiceAccountToken"])
            limits = pod["containers"][0]["securityContext"]
            self.assertTrue(limits["readOnlyRootFilesystem"])
            self.assertFalse(limits["allowPrivilegeEscalation"])
            self.assertEqual(limits["capabilities"], {"drop": ["ALL"]})


if __name__ == "__main__":
    unittest.main()
