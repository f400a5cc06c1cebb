// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/hostile_project.h"

#include "storage/io/files.h"
#include "storage/sqlite/database.h"

#include <QDir>
#include <QProcess>

#include <array>
#include <filesystem>
#include <fstream>
#include <regex>

namespace cannery::tests {
namespace {

namespace fs = std::filesystem;

const std::string kImportant = "../../important";

/// Replacements for a text.
const std::array<std::string, 12> kTexts{
    kImportant,
    "../../../important/thesis.txt",
    "/etc",
    "..",
    ".",
    std::string("a\0b", 3),
    "caf\xE9 \xFF\xC3",
    "\x1b]0;owned\x07\x1b[2J\x1b[31m",
    "\xC2\x9B"
    "31m\xE2\x80\xAE",
    std::string(5000, 'x'),
    "<img src='file:///dev/zero'> ![x](file:///dev/zero)",
    "=cmd|'/c calc'!A1",
};

const std::array<std::string, 8> kNumbers{
    "9223372036854775807", "-1", "1e308", "-9223372036854775808", "0", "NaN", "1e12",
    "18446744073709551616"};

template <typename List>
const auto& oneOf(const List& list, std::mt19937& random)
{
    return list[random() % list.size()];
}

void write(const fs::path& path, const std::string& bytes)
{
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
}

/// JSON without a checksum is older and accepted.
std::string withoutChecksum(const std::string& text)
{
    static const std::regex kMember(",?\\s*\"crc32c\": ?\"[0-9a-f]*\"");
    static const std::regex kLine("# crc32c [^\\n]*\\n");
    return std::regex_replace(std::regex_replace(text, kMember, ""), kLine, "");
}

/// Replaces a quoted text, or a number, by another value.
std::string withAnotherValue(const std::string& text, std::mt19937& random)
{
    static const std::regex kValue("\"[^\"\\n]*\"|-?[0-9][0-9.e+]*");
    std::vector<std::pair<std::size_t, std::size_t>> places;
    for (std::sregex_iterator found(text.begin(), text.end(), kValue), end; found != end; ++found) {
        places.emplace_back(found->position(), found->length());
    }
    if (places.empty()) {
        return oneOf(kTexts, random);
    }
    const auto [at, size] = oneOf(places, random);
    const bool isText = text[at] == '"';
    std::string changed = text;
    return changed.replace(at, size,
                           isText ? "\"" + oneOf(kTexts, random) + "\"" : oneOf(kNumbers, random));
}

} // namespace

HostileProject::HostileProject()
    : m_folder(inMemoryFolder() + "/cannery-hostile-XXXXXX"),
      m_project(FaultProject::Saves::AtOnce, m_folder.path())
{
    m_project.spoils();
    m_project.trainAndKeep({{"train", "faults.cannery", "--quiet", "--threads", "1"},
                            {"runs", "rename", "run-001", "A title"},
                            {"runs", "note", "run-001", "A note"},
                            {"runs", "tag", "run-001", "kept"},
                            {"runs", "delete", "run-002"},
                            {"export", "run-001", "--output", "exports/faults"},
                            {"queue", "add", "faults.cannery"}});
    m_files = contentOf(path()).keys();
    const fs::path root = m_folder.path().toStdString();
    write(root / "important/thesis.txt", "years of work");
    write(root / "important/run.json", "{\"name\": \"important\"}");
    write(root / "important/model.ckpt-3.index", "theirs");
    write(root / "important/1700000000/saved_model.pb", "theirs");
    write(root / "thesis.txt", "more of it");
    m_outside = outside();
}

QMap<QString, QByteArray> HostileProject::outside() const
{
    QMap<QString, QByteArray> files = contentOf(m_folder.path());
    const QString project = QDir(path()).dirName() + "/";
    files.removeIf([&](const auto& file) { return file.key().startsWith(project); });
    return files;
}

QByteArray HostileProject::problemOutside() const
{
    const auto now = outside();
    for (auto file = m_outside.begin(); file != m_outside.end(); ++file) {
        if (!now.contains(file.key()) || now[file.key()] != file.value()) {
            return "changed outside: " + file.key().toUtf8();
        }
    }
    return now.size() == m_outside.size() ? QByteArray() : QByteArray("made something outside");
}

QByteArray HostileProject::change(unsigned number)
{
    restore();
    std::mt19937 random(number);
    QByteArray told;
    for (unsigned changes = 1 + random() % 3; changes > 0; --changes) {
        if (random() % 3 == 0) {
            told += changeStore(random);
            continue;
        }
        told += changeFile(m_files[random() % m_files.size()].toStdString(), random);
    }
    return "change " + QByteArray::number(number) + ": " + told;
}

QByteArray HostileProject::changeFile(const std::string& name, std::mt19937& random)
{
    const fs::path file = fs::path(path().toStdString()) / name;
    std::string bytes = storage::readWholeFile(file.string()).value_or("");
    const auto place = [&] { return bytes.empty() ? 0 : random() % bytes.size(); };
    QByteArray what = QByteArray::fromStdString(name);
    switch (random() % 8) {
    case 0:
        for (int i = 0; i < 3 && !bytes.empty(); ++i) {
            const std::size_t at = place();
            bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
        }
        what += " with other bits; ";
        break;
    case 1:
        bytes.resize(place());
        what += " cut; ";
        break;
    case 2:
        bytes.insert(place(), oneOf(kTexts, random));
        what += " with a text; ";
        break;
    case 3:
    case 4:
    case 5:
        bytes = withAnotherValue(withoutChecksum(bytes), random);
        what += " with another value; ";
        break;
    case 6:
        fs::remove_all(file);
        fs::create_symlink(name.find('/') != std::string::npos && random() % 2 == 0
                               ? "/dev/zero"
                               : (fs::path(m_folder.path().toStdString()) / "thesis.txt"),
                           file);
        return what + " a link; ";
    default:
        // A whole folder of the project is a link to elsewhere.
        if (file.parent_path() != fs::path(path().toStdString())) {
            fs::remove_all(file.parent_path());
            fs::create_symlink(fs::path(m_folder.path().toStdString()) / "important",
                               file.parent_path());
        }
        return what + " behind a link; ";
    }
    if (fs::is_symlink(file.parent_path()) || !fs::exists(file.parent_path()) ||
        fs::is_symlink(file)) {
        return {}; // an earlier change removed it
    }
    write(file, bytes);
    return what;
}

/// Values of a store, with correct checksums.
QByteArray HostileProject::changeStore(std::mt19937& random) const
{
    const std::string file = (path() + "/cannery.db").toStdString();
    auto database = storage::Database::open(file, storage::DatabaseMode::ReadWrite);
    if (!database) {
        return {};
    }
    static constexpr std::array<std::array<const char*, 2>, 22> kColumns{{
        {"runs", "name"},
        {"runs", "experiment_file"},
        {"runs", "state"},
        {"runs", "reason"},
        {"runs", "global_step"},
        {"runs", "created_at"},
        {"annotations", "run"},
        {"annotations", "title"},
        {"annotations", "notes"},
        {"annotations", "colour"},
        {"annotation_tags", "tag"},
        {"annotation_tags", "run"},
        {"exports", "path"},
        {"tags", "folder"},
        {"checkpoints", "global_step"},
        {"queue", "experiment_file"},
        {"queue", "overrides"},
        {"sweeps", "name"},
        {"sweeps", "identity"},
        {"sweep_trials", "run"},
        {"sweep_trials", "overrides"},
        {"view_state", "json"},
    }};
    const auto& column = oneOf(kColumns, random);
    const std::string& text = oneOf(kTexts, random);
    const std::string& value = oneOf(kNumbers, random);
    (void)database->execute("PRAGMA foreign_keys = OFF");
    auto update =
        database->prepare(fmt::format("UPDATE OR REPLACE {} SET {} = ?", column[0], column[1]));
    if (update) {
        update->bind(0, std::string_view(random() % 3 == 0 ? value : text));
        (void)update->run(); // a text is rejected where a number belongs
    }
    return QByteArray("store: ") + column[0] + "." + column[1] + "; ";
}

Ended HostileProject::cannery(const QStringList& arguments) const
{
    constexpr int kLongest = 20'000;
    QProcess process;
    process.setWorkingDirectory(path());
    process.start(CANNERY_PROGRAM, arguments, QIODevice::ReadOnly);
    return endOf(process, kLongest, Printed::Bytes);
}

} // namespace cannery::tests
