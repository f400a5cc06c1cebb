// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/fuzz_targets.h"
#include "tests/support/test_main.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <QTest>

using namespace cannery::tests;
namespace fs = std::filesystem;

namespace {

using Target = void (*)(std::string_view);

struct Row
{
    const char* name;
    Target run;
};

constexpr Row kTargets[] = {
    {"checkpoint_entries", fuzzCheckpointEntries},
    {"checkpoint_files", fuzzCheckpointFiles},
    {"checkpoint_state", fuzzCheckpointState},
    {"control_message", fuzzControlMessage},
    {"csv", fuzzCsv},
    {"data_file", fuzzDataFile},
    {"event_file", fuzzEventFile},
    {"event_message", fuzzEventMessage},
    {"example", fuzzExample},
    {"experiment_text", fuzzExperimentText},
    {"graph_def", fuzzGraphDef},
    {"graph_def_text", fuzzGraphDefText},
    {"image", fuzzImage},
    {"inflate", fuzzInflate},
    {"metadata_schema", fuzzMetadataSchema},
    {"number", fuzzNumber},
    {"record_file", fuzzRecordFile},
    {"row_file", fuzzRowFile},
    {"run_record", fuzzRunRecord},
    {"saved_model", fuzzSavedModel},
    {"saved_model_text", fuzzSavedModelText},
    {"spec_override", fuzzSpecOverride},
    {"table", fuzzTable},
};

std::string readBytes(const fs::path& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The current input, for the crash handler.
std::string_view presentInput;
char presentFile[512] = "";

void keepInput(int signal)
{
    const int file = ::open(presentFile, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file >= 0) {
        (void)!::write(file, presentInput.data(), presentInput.size());
        (void)!::write(2, "the input is kept in ", 21);
        (void)!::write(2, presentFile, std::char_traits<char>::length(presentFile));
        (void)!::write(2, "\n", 1);
    }
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

/// Mutations as fuzzers make them, from a generator with a fixed seed.
class Mutator
{
public:
    Mutator(std::uint64_t seed, const std::vector<std::string>& corpus)
        : m_random(seed), m_corpus(corpus)
    {}

    std::string next()
    {
        std::string bytes = m_corpus[below(m_corpus.size())];
        for (std::size_t change = 1 + below(4); change > 0; --change) {
            mutate(bytes);
        }
        return bytes;
    }

private:
    std::size_t below(std::size_t limit) { return limit == 0 ? 0 : m_random() % limit; }

    void mutate(std::string& bytes)
    {
        static constexpr unsigned char kTelling[] = {0x00, 0x01, 0x7f, 0x80, 0xff, '"', '\n', '{',
                                                     '}',  ',',  ':',  '/',  '.',  '-', '0',  '9'};
        const std::size_t at = below(bytes.size());
        const std::size_t length =
            std::min(1 + below(16), bytes.size() - std::min(at, bytes.size()));
        switch (below(8)) {
        case 0:
            if (!bytes.empty()) {
                bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
            }
            break;
        case 1:
            if (!bytes.empty()) {
                bytes[at] = static_cast<char>(kTelling[below(std::size(kTelling))]);
            }
            break;
        case 2:
            bytes.erase(at, length);
            break;
        case 3:
            bytes.insert(at, bytes.substr(below(bytes.size()), 1 + below(32)));
            break;
        case 4:
            bytes.resize(at);
            break;
        case 5: {
            const std::string& other = m_corpus[below(m_corpus.size())];
            const std::size_t from = below(other.size());
            bytes = bytes.substr(0, at) + other.substr(from);
            break;
        }
        case 6:
            bytes.insert(at, 1 + below(20),
                         static_cast<char>(kTelling[below(std::size(kTelling))]));
            break;
        default:
            for (std::size_t i = 0; i < length; ++i) {
                bytes[at + i] = static_cast<char>(below(256));
            }
            break;
        }
    }

    std::mt19937_64 m_random;
    const std::vector<std::string>& m_corpus;
};

} // namespace

/// Every input that was ever of interest, and several thousand mutations of them. The script run.sh
/// searches further, guided by coverage.
class TstFuzzCorpus : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void replaysAndMutates_data();
    void replaysAndMutates();
};

void TstFuzzCorpus::initTestCase()
{
    for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
        std::signal(signal, keepInput);
    }
}

void TstFuzzCorpus::replaysAndMutates_data()
{
    QTest::addColumn<int>("target");
    for (std::size_t i = 0; i < std::size(kTargets); ++i) {
        QTest::newRow(kTargets[i].name) << static_cast<int>(i);
    }
}

void TstFuzzCorpus::replaysAndMutates()
{
    QFETCH(int, target);
    const Row& row = kTargets[target];
    const std::string kept =
        (fs::temp_directory_path() / (std::string("cannery_fuzz_crash_") + row.name)).native();
    std::copy_n(kept.c_str(), std::min(kept.size() + 1, std::size(presentFile) - 1), presentFile);
    const auto run = [&](std::string_view bytes) {
        presentInput = bytes;
        row.run(bytes);
    };

    std::vector<fs::path> files;
    for (const auto& entry :
         fs::directory_iterator(fs::path(CANNERY_SOURCE_DIR "/tests/fuzz/corpus") / row.name)) {
        files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    QVERIFY2(!files.empty(), "a target needs seeds");
    std::vector<std::string> corpus;
    for (const fs::path& file : files) {
        corpus.push_back(readBytes(file));
        run(corpus.back());
    }
    run("");

    // The same inputs in the same order everywhere; a slow machine tries fewer of them.
    constexpr std::size_t kInputs = 20000;
    constexpr std::chrono::milliseconds kTime{1000};
    const auto begin = std::chrono::steady_clock::now();
    Mutator mutator(0x5eed, corpus);
    std::size_t tried = 0;
    while (tried < kInputs && std::chrono::steady_clock::now() - begin < kTime) {
        run(mutator.next());
        ++tried;
    }
    QVERIFY(tried > 0);
}

CANNERY_TEST(TstFuzzCorpus)
#include "tst_fuzz_corpus.moc"
