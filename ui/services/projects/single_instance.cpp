// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/projects/single_instance.h"

#include "core/control/socket_path.h"

#include <QCryptographicHash>
#include <QFile>
#include <QLocalServer>
#include <QLocalSocket>
#include <QTimer>

namespace cannery::ui {
namespace {

/// How long another window may take to answer. One that hangs must not lock the user out.
constexpr int kAnswerTimeoutMs = 2000;
constexpr qint64 kLongestRequest = 1 << 16;

/// Empty if there is no place for a socket.
QString socketFor(const QString& folder)
{
    // The path of a socket has room for about a hundred bytes, which that of a folder may exceed.
    const QByteArray hash =
        QCryptographicHash::hash(folder.toUtf8(), QCryptographicHash::Sha1).toHex().left(16);
    for (const std::string& place : control::socketFolders()) {
        if (control::makePrivateFolder(place)) {
            return QFile::decodeName(place.c_str()) + QStringLiteral("/window-") +
                   QString::fromLatin1(hash) + QStringLiteral(".sock");
        }
    }
    return {};
}

} // namespace

class SingleInstance::Private
{
public:
    void listen(SingleInstance* owner, const QString& path);
    void serve(SingleInstance* owner);

    QString m_folder;
    quint64 m_claim = 0; ///< the latest; older ones are dropped
    std::unique_ptr<QLocalServer> m_server;
};

void SingleInstance::Private::serve(SingleInstance* owner)
{
    while (QLocalSocket* socket = m_server->nextPendingConnection()) {
        connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
        const auto read = [owner, socket] {
            if (!socket->canReadLine()) {
                if (socket->bytesAvailable() > kLongestRequest) {
                    // Not one of our windows: those send one short line.
                    socket->abort();
                }
                return;
            }
            const QByteArray line = socket->readLine(kLongestRequest).trimmed();
            socket->write("ok\n");
            socket->flush();
            Q_EMIT owner->raiseRequested(QString::fromUtf8(QByteArray::fromPercentEncoding(line)));
        };
        connect(socket, &QLocalSocket::readyRead, owner, read);
        // What had arrived before the connection was made.
        read();
    }
}

/// The previous listener is dead: it did not answer.
void SingleInstance::Private::listen(SingleInstance* owner, const QString& path)
{
    m_server = std::make_unique<QLocalServer>();
    m_server->setSocketOptions(QLocalServer::UserAccessOption);
    // A crash leaves the socket's file behind.
    QLocalServer::removeServer(path);
    if (m_server->listen(path)) {
        connect(m_server.get(), &QLocalServer::newConnection, owner,
                [this, owner] { serve(owner); });
    }
}

SingleInstance::SingleInstance(QObject* parent)
    : QObject(parent), m_private(std::make_unique<Private>())
{}

SingleInstance::~SingleInstance() = default;

QString SingleInstance::folder() const
{
    return m_private->m_folder;
}

void SingleInstance::release()
{
    ++m_private->m_claim;
    m_private->m_folder.clear();
    m_private->m_server.reset();
}

void SingleInstance::claim(const QString& folder, const QString& request,
                           std::function<void(bool)> answer)
{
    const QString path = socketFor(folder);
    const quint64 claim = ++m_private->m_claim;
    if (folder == m_private->m_folder || path.isEmpty()) {
        m_private->m_folder = folder;
        // Never within the call, as with every other answer.
        QMetaObject::invokeMethod(
            this, [answer = std::move(answer)] { answer(true); }, Qt::QueuedConnection);
        return;
    }
    auto* socket = new QLocalSocket(this);
    auto* timeout = new QTimer(socket);
    timeout->setSingleShot(true);
    // Whichever comes first decides: connection, refusal or silence.
    const auto settle = [this, socket, folder, path, claim,
                         answer = std::move(answer)](bool isOurs) {
        socket->disconnect();
        socket->deleteLater();
        if (isOurs && claim == m_private->m_claim) {
            m_private->m_folder = folder;
            m_private->listen(this, path);
        }
        answer(isOurs);
    };
    connect(timeout, &QTimer::timeout, this, [settle] { settle(true); });
    connect(socket, &QLocalSocket::connected, this,
            // A path may contain a line break, which would end the request.
            [socket, request] { socket->write(request.toUtf8().toPercentEncoding("/") + '\n'); });
    connect(socket, &QLocalSocket::readyRead, this, [settle] { settle(false); });
    connect(
        socket, &QLocalSocket::errorOccurred, this, [settle] { settle(true); },
        Qt::QueuedConnection);
    timeout->start(kAnswerTimeoutMs);
    socket->connectToServer(path);
}

} // namespace cannery::ui
