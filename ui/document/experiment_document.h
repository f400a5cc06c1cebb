#pragma once

#include <QList>
#include <QObject>
#include <QString>

#include <memory>

namespace cannery::ui {

/// One field of the experiment as the pages see it; no protobuf behind it.
struct FieldNode
{
    QString name;              ///< "hidden_units"
    QString path;              ///< "estimator.dnn_classifier.hidden_units"
    QString label;             ///< from the schema: "Hidden units"
    QString help;              ///< one sentence
    QString text;              ///< the value as written; empty for a message
    QString type;              ///< "int64", "string", the message's or the enum's name
    bool isDefault = false;    ///< not written in the file
    QList<FieldNode> children; ///< of a message, and the elements of a repeated field
};

/// Something that `check` found.
struct ProblemRow
{
    enum class Level
    {
        Warning,
        Error,
    };
    Level level = Level::Error;
    QString id; ///< stable
    QString file;
    int line = 0;
    int column = 0;
    QString path; ///< field
    QString sentence;
    QString page; ///< "data", "features", "model": where it is mended
};

/// The experiment file that is open: its text, the fields in it and its problems. Notices when an
/// editor or git changes the file and reads it again. Parsing and checking happen off the GUI
/// thread; edits are undoable and written at once, atomically. GUI thread.
class ExperimentDocument : public QObject
{
    Q_OBJECT

public:
    explicit ExperimentDocument(QObject* parent = nullptr);
    ~ExperimentDocument() override;

    void open(const QString& file);
    void close();
    bool isOpen() const;
    QString file() const;
    QString text() const;
    /// What the file calls itself, else its base name.
    QString name() const;

    /// The experiment as read, defaults resolved; empty when it cannot be read.
    const FieldNode& root() const;
    const FieldNode* field(const QString& path) const;
    /// Text of a field, or `otherwise`.
    QString value(const QString& path, const QString& otherwise = {}) const;

    /// Changes one field as one undo step and saves. Bytes and comments elsewhere stay.
    bool setValue(const QString& path, const QString& text);
    class QUndoStack* undoStack();

    const QList<ProblemRow>& problems() const;
    bool hasErrors() const;
    /// True while the file is being read.
    bool isLoading() const;

Q_SIGNALS:
    void changed();
    void problemsChanged();
    /// The file was changed by another program and read again.
    void reloaded();
    void saved();
    void failed(const QString& sentence);

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace cannery::ui
