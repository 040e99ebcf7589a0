"""A network that can be cut: forwards TCP connections of the loopback, until a line on the control port says otherwise.

    add NAME PORT   listens on a free port, forwards to PORT; answers with the free port
    cut NAME        no byte passes in either direction; connections stay open, new ones are taken and stay silent
    heal NAME       bytes pass again, also those that waited
    drop NAME       closes the connections; what waited in them is lost

`*` names all. Each line is answered when it is done. Prints the control port.
"""
import asyncio
import sys


class Way:
    def __init__(self, port):
        self.port = port
        self.open = asyncio.Event()
        self.open.set()
        self.writers = set()


ways = {}


async def pump(way, reader, writer):
    try:
        while data := await reader.read(65536):
            await way.open.wait()
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        await way.open.wait()
        writer.close()


async def forward(way, reader, writer):
    way.writers.add(writer)
    other = None
    try:
        await way.open.wait()
        other_reader, other = await asyncio.open_connection("127.0.0.1", way.port)
        way.writers.add(other)
        await asyncio.gather(pump(way, reader, other), pump(way, other_reader, writer))
    except OSError:
        writer.close()
    finally:
        way.writers -= {writer, other}


async def add(name, port):
    way = ways[name] = Way(int(port))
    server = await asyncio.start_server(lambda reader, writer: forward(way, reader, writer), "127.0.0.1", 0)
    return server.sockets[0].getsockname()[1]


def change(word, name):
    for way in ways.values() if name == "*" else [ways[name]]:
        if word == "cut":
            way.open.clear()
        elif word == "heal":
            way.open.set()
        elif word == "drop":
            for writer in way.writers:
                writer.transport.abort()
    return "done"


async def control(reader, writer):
    while line := await reader.readline():
        words = line.decode().split()
        answer = await add(*words[1:]) if words[0] == "add" else change(*words)
        writer.write(f"{answer}\n".encode())
        await writer.drain()
    writer.close()


async def main():
    server = await asyncio.start_server(control, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1])
    sys.stdout.close()
    await server.serve_forever()


asyncio.run(main())
