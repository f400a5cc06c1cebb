// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/launcher.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;
using namespace cannery::cluster;

class TstLauncher : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void tfConfigComesFirst();
    void variablesStandInForOptions();
    void anIndexedJobWithoutRolesIsManyRuns();
    void slurmNeedsNoRoles();
    void rolesNeedALauncher();
    void aPortIsANumber();
    void noVariablesNoCluster();

private:
    static Environment everything()
    {
        return {{"TF_CONFIG",
                 R"({"cluster":{"worker":["t:1","u:1"]},"task":{"type":"worker","index":1}})"},
                {"JOB_COMPLETION_INDEX", "1"},
                {"SLURM_JOB_ID", "0"},
                {"SLURM_NTASKS", "2"},
                {"SLURM_PROCID", "1"},
                {"SLURM_STEP_NODELIST", "s[1-2]"},
                {"CANNERY_ROLES", "chief:1,worker:1"},
                {"CANNERY_HOSTS", "k-{index}"},
                {"CANNERY_PORT", "8000"}};
    }

    static std::string ownAddress(const Environment& environment, const AdapterOptions& options)
    {
        const auto spec = clusterOfEnvironment(environment, options);
        return !spec ? spec.error().message() : *spec ? (*spec)->ownAddress() : "none";
    }
};

void TstLauncher::tfConfigComesFirst()
{
    Environment environment = everything();
    QCOMPARE(ownAddress(environment, {}), std::string("u:1"));
    environment.erase("TF_CONFIG");
    QCOMPARE(ownAddress(environment, {}), std::string("k-1:8000"));
    environment.erase("JOB_COMPLETION_INDEX");
    QCOMPARE(ownAddress(environment, {}), std::string("s2:8000"));
    environment["TF_CONFIG"] = "{";
    VERIFY_ERROR(clusterOfEnvironment(environment), "cluster.not_json");
}

void TstLauncher::variablesStandInForOptions()
{
    Environment environment = everything();
    environment.erase("TF_CONFIG");
    const auto spec =
        clusterOfEnvironment(environment, {"ps:1,worker:2", "pod{index}.example", 9000});
    VERIFY_OK(spec);
    QCOMPARE(describe((*spec)->type, (*spec)->index), std::string("worker 0"));
    QCOMPARE((*spec)->ownAddress(), std::string("pod1.example:9000"));
    environment.erase("CANNERY_PORT");
    QCOMPARE(ownAddress(environment, {}), std::string("k-1:2222"));
}

/// Each trains something of its own.
void TstLauncher::anIndexedJobWithoutRolesIsManyRuns()
{
    QCOMPARE(ownAddress({{"JOB_COMPLETION_INDEX", "1"}}, {}), std::string("none"));
}

void TstLauncher::slurmNeedsNoRoles()
{
    Environment environment = everything();
    for (const char* variable :
         {"TF_CONFIG", "JOB_COMPLETION_INDEX", "CANNERY_ROLES", "CANNERY_PORT"}) {
        environment.erase(variable);
    }
    QCOMPARE(ownAddress(environment, {}), std::string("s2:10000"));
    environment["SLURM_NTASKS"] = "1";
    QCOMPARE(ownAddress(environment, {}), std::string("none"));
}

void TstLauncher::rolesNeedALauncher()
{
    VERIFY_ERROR(clusterOfEnvironment({}, {"worker:2", {}, std::nullopt}),
                 "cluster.roles_without_launcher");
    VERIFY_ERROR(clusterOfEnvironment({{"CANNERY_ROLES", "worker:2"}}),
                 "cluster.roles_without_launcher");
}

void TstLauncher::aPortIsANumber()
{
    for (const char* port : {"0", "65536", "-1", "80x", "http"}) {
        Environment environment = everything();
        environment.erase("TF_CONFIG");
        environment["CANNERY_PORT"] = port;
        VERIFY_ERROR(clusterOfEnvironment(environment), "cluster.bad_port_option");
    }
}

void TstLauncher::noVariablesNoCluster()
{
    QCOMPARE(ownAddress({{"PATH", "/usr/bin"}}, {}), std::string("none"));
}

CANNERY_TEST(TstLauncher)
#include "tst_launcher.moc"
